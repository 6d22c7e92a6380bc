"""A TCP proxy on the loopback whose network can be cut: what is under way is held and thrown away, and nothing new gets through."""
import selectors
import socket
import threading


class Proxy:
    """One thread; it sleeps while the network is cut, however many connections are asked for meanwhile."""

    def __init__(self, port):
        self.target = port
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.connected, self.ended = True, False
        self.order, self.told = socket.socketpair()  # a byte: look at what you were told
        self.mended = threading.Event()
        self.other = {}  # a connection's other side
        self.eyes = selectors.DefaultSelector()
        for side in (self.door, self.told):
            self.eyes.register(side, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def cut(self):
        """Bytes stop in both directions; connections stay, as they do when a cable is pulled, and new ones hang."""
        self.mended.clear()
        self.connected = False
        self.order.send(b"!")

    def mend(self):
        """New connections get through; old ones are reset, as those of a network that was away for long."""
        self.connected = True
        self.mended.set()

    def close(self):
        self.ended = True
        self.mend()
        self.order.send(b"!")
        self.thread.join()
        for side in (self.door, self.order, self.told):
            side.close()

    def _serve(self):
        while not self.ended:
            for key, _ in self.eyes.select():
                if not self.connected:
                    self._wait()
                    break
                if key.fileobj is self.door:
                    self._accept()
                elif key.fileobj is self.told:
                    self.told.recv(64)
                elif key.fileobj in self.other:
                    self._forward(key.fileobj)
        self._end_all()

    def _wait(self):
        self.mended.wait()
        self._end_all()

    def _accept(self):
        client, _ = self.door.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self.target), timeout=2)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        for side, other in ((client, server), (server, client)):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.other[side] = other
            self.eyes.register(side, selectors.EVENT_READ)

    def _forward(self, side):
        try:
            data = side.recv(65536)
            if data:
                self.other[side].sendall(data)
        except OSError:
            data = b""
        if not data:
            self._end(side)

    def _end(self, side):
        other = self.other[side]
        for each in (side, other):
            self.eyes.unregister(each)
            del self.other[each]
            each.close()

    def _end_all(self):
        for side in list(self.other):
            if side in self.other:
                self._end(side)
