"""A TCP proxy on the loopback whose network can be cut: what is under way is held or thrown away, and nothing new gets through."""
import select
import socket
import threading


class Proxy:
    def __init__(self, port):
        self.target = port
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.connected = True
        self.pairs, self.lock, self.ended = [], threading.Lock(), False
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def cut(self):
        """Bytes stop in both directions; connections stay, as they do when a cable is pulled."""
        self.connected = False

    def mend(self):
        """New connections get through; old ones are reset, as those of a network that was away for long."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for side in pair:
                try:
                    side.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.connected = True

    def close(self):
        self.ended = True
        self.door.close()
        self.mend()

    def _accept(self):
        while not self.ended:
            try:
                client, _ = self.door.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        server = None
        try:
            while not self.connected and not self.ended:  # a connection that is asked for meanwhile hangs
                threading.Event().wait(0.05)
                if select.select([client], [], [], 0)[0] and client.recv(1, socket.MSG_PEEK) == b"":
                    return
            server = socket.create_connection(("127.0.0.1", self.target), timeout=2)
            pair = (client, server)
            with self.lock:
                self.pairs.append(pair)
            while True:
                ready = select.select([client, server], [], [], 0.2)[0]
                for side in ready:
                    data = side.recv(65536)
                    if not data:
                        return
                    while not self.connected:
                        with self.lock:
                            if pair not in self.pairs:
                                return
                        threading.Event().wait(0.02)
                    (server if side is client else client).sendall(data)
        except OSError:
            pass
        finally:
            for side in (client, server):
                if side:
                    side.close()
