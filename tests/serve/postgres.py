"""A PostgreSQL server for the tests: in a temporary folder, on the loopback, as an ordinary user, a direct child that is waited for.

NEURALTS_POSTGRES: the folder of another version's programs (initdb, postgres, pg_ctl); the newest installed one otherwise. What that
folder lacks (psql) is the installed version's.

A primary can have a synchronous standby; when the primary is killed the standby is promoted, and the other one can follow it in turn."""
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from service import wait_for

START_S = 300  # a busy machine needs its time


def installed():
    found = [os.path.dirname(path) for path in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    return max(found, key=lambda folder: int(folder.split("/")[-2]), default=None)


def programs():
    """The folder of initdb and postgres, or nothing."""
    return os.environ.get("NEURALTS_POSTGRES") or installed()


def program(name):
    """The path of a program that speaks to servers of any version."""
    own = os.path.join(programs(), name)
    return own if os.path.exists(own) else os.path.join(installed() or "", name)


def ordinary_user():
    """The server refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise RuntimeError("no ordinary user to run a server as")


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


class Postgres:
    def __init__(self, settings=()):
        self.bin, self.user = programs(), ordinary_user()
        self.folder = tempfile.mkdtemp(prefix="neuralts-postgres-")
        self.settings = list(settings)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.port, self.process, self.keep = free_port(), None, False

    @classmethod
    def primary(cls, settings=()):
        server = cls(settings)
        server.run("initdb", "-D", server.data, "-U", "neuralts", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        server.start()
        return server

    def standby(self):
        """A second server that has every commit before it is answered."""
        other = Postgres(self.settings)
        other.follow(self)
        return other

    def follow(self, leader):
        """Begins anew, as the leader's synchronous standby."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.copy(leader)
        with open(os.path.join(self.data, "postgresql.auto.conf"), "a") as file:
            file.write(f"primary_conninfo = 'host=127.0.0.1 port={leader.port} user=neuralts application_name=standby'\n")
        self.start()
        leader.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()")
        wait_for(lambda: leader.sql("SELECT pg_sleep(0.2)", "SELECT sync_state FROM pg_stat_replication") == "sync", START_S)

    def copy(self, leader):
        """By pg_basebackup; where a version has none, of a server that stands still for a moment."""
        if os.path.exists(os.path.join(self.bin, "pg_basebackup")):
            self.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(leader.port), "-U", "neuralts", "-D", self.data, "-R", "-X", "stream", "-c", "fast")
            return
        leader.halt()
        subprocess.run(["cp", "-a", leader.data, self.data], check=True, preexec_fn=self._as_user, cwd="/")
        subprocess.run(["touch", os.path.join(self.data, "standby.signal")], check=True, preexec_fn=self._as_user, cwd="/")
        leader.start()

    def promote(self):
        # What was promised to a standby of its own does not hold for the one that takes over.
        self.run("pg_ctl", "promote", "-D", self.data, "-w")
        self.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")

    @property
    def data(self):
        return os.path.join(self.folder, "data")

    def _as_user(self):
        if self.user:
            os.setgroups([])
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)

    def run(self, program, *words):
        subprocess.run([os.path.join(self.bin, program), *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       preexec_fn=self._as_user, cwd="/")

    def start(self):
        words = [os.path.join(self.bin, "postgres"), "-D", self.data, "-p", str(self.port)]
        for setting in ("listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=64MB", "max_connections=120", *self.settings):
            words += ["-c", setting]
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self.process is None:
                with open(os.path.join(self.folder, "log"), "a") as log:
                    self.process = subprocess.Popen(words, stdout=log, stderr=log, preexec_fn=self._as_user, cwd="/")
            if self.process.poll() is not None:  # what an earlier one left behind needs a moment to end
                self.process = None
                time.sleep(0.1)
            elif self.answers():
                return
            time.sleep(0.1)
        with open(os.path.join(self.folder, "log")) as log:
            raise TimeoutError("the server does not start: " + log.read()[-2000:])

    def answers(self):
        """As pg_ctl sees it: the server writes it down. A connection of our own may take long on a busy machine."""
        try:
            with open(os.path.join(self.data, "postmaster.pid")) as file:
                lines = file.read().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and int(lines[0]) == self.process.pid and lines[7].strip() in ("ready", "standby")

    def children(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path) as file:
                    text = file.read()
            except OSError:
                continue
            if int(text.rsplit(")", 1)[1].split()[1]) == self.process.pid:
                found.append(int(text.split()[0]))
        return found

    def kill(self):
        """The server and everything it has started, at once."""
        children = self.children()
        self.process.kill()
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.process = None

    def halt(self):
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)
            self.process = None

    def stop(self):
        self.halt()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def address(self, *others):
        hosts = ",".join(f"127.0.0.1:{port}" for port in (self.port, *others))
        return f"postgres://neuralts@{hosts}/postgres"

    def sql(self, *texts, notices=False):
        words = [program("psql"), "-h", "127.0.0.1", "-p", str(self.port), "-U", "neuralts", "-d", "postgres", "-AtXq", "-v", "ON_ERROR_STOP=1"]
        for text in texts:
            words += ["-c", text]
        errors = subprocess.STDOUT if notices else None
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=errors, text=True, cwd="/").stdout.strip()
