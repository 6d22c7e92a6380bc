"""Callers who mean no good: broken requests, and connections that begin a request and never end it."""
import random
import select
import socket
import threading


def broken(whole, chance):
    """The request with one to five places changed."""
    text = bytearray(whole)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(text))
        text[at:at + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
    return bytes(text)


def answer_to(port, text):
    """The first bytes of what the service says; nothing when it ended the connection without a word."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(65536)
    except ConnectionError:
        return b""


class Stalled:
    """So many connections in the middle of a header. The service gives up on each after some seconds: another takes its place."""

    def __init__(self, port, number):
        self.port, self.opened, self.ended = port, 0, threading.Event()
        self.connections = [self._open() for _ in range(number)]
        self.thread = threading.Thread(target=self._renew, daemon=True)
        self.thread.start()

    def _open(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.sendall(b"POST /v1/loops/default/rank HTTP/1.1\r\nContent-Le")
        self.opened += 1
        return connection

    def _renew(self):
        while not self.ended.wait(0.2):
            poll = select.poll()
            for connection in self.connections:
                poll.register(connection, select.POLLIN)
            gone = {number for number, _ in poll.poll(0)}
            for place, connection in enumerate(self.connections):
                if connection.fileno() in gone and not self.ended.is_set():
                    connection.close()
                    self.connections[place] = self._open()

    def close(self):
        self.ended.set()
        self.thread.join()
        for connection in self.connections:
            connection.close()


class Attack:
    """A thread that sends broken requests; what was answered by the first digit of its status, and the first answer of 5xx."""

    def __init__(self, port, whole, number, seed=1):
        self.port, self.whole, self.number, self.chance = port, whole, number, random.Random(seed)
        self.answers, self.wrong = {}, None
        self.thread = threading.Thread(target=self._send, daemon=True)
        self.thread.start()

    def _send(self):
        for _ in range(self.number):
            text = broken(self.whole, self.chance)
            answer = answer_to(self.port, text)
            kind = answer[9:10].decode() + "xx" if answer else "none"
            self.answers[kind] = self.answers.get(kind, 0) + 1
            if kind == "5xx" and self.wrong is None:
                self.wrong = text, answer
