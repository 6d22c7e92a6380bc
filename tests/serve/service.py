"""A running service for the tests: started in a folder of its own, asked in plain HTTP, stopped or killed."""
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

NEURALTS = os.environ["NEURALTS"]


class Service:
    def __init__(self, *flags, folder=None, keep=False):
        self.folder = folder or tempfile.mkdtemp(prefix="neuralts-serve-", dir=os.environ.get("NEURALTS_TEST_FOLDER"))
        self.keep = keep or folder is not None
        self.flags = flags
        self.start()

    def start(self):
        self.errors = open(os.path.join(self.folder, "stderr"), "a")
        self.process = subprocess.Popen([NEURALTS, "serve", "--dir", os.path.join(self.folder, "service"), "--listen", "127.0.0.1:0", *self.flags],
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address.startswith("http"):
            self._ended()
            with open(self.errors.name) as errors:
                raise RuntimeError("the service did not start: " + errors.read()[-2000:])
        self.port = int(self.address.rsplit(":", 1)[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self._ended()

    def stop(self):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self):
        status = self.process.wait(timeout=120)
        self.process.stdout.close()
        self.errors.close()
        return status

    def log(self):
        with open(os.path.join(self.folder, "stderr")) as file:
            return [json.loads(line) for line in file if line.startswith("{")]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None, token=None, headers=None, raw=False):
        """Status and body (parsed when it is JSON) of one call on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            return ask(connection, method, path, body, token, headers, raw)
        finally:
            connection.close()

    def wait_for(self, condition, seconds=240):
        return wait_for(condition, seconds)

    def wait_for_counts(self, right, loop="default"):
        """The loop's counts once nothing is left to learn and they are right: they are told twice a second, the position at once."""
        try:
            return self.wait_for(lambda: (s := self.stats(loop))["learner"]["lag_records"] == 0 and right(s) and s)
        except TimeoutError:
            raise AssertionError(f"what was learned is not what was told: {self.stats(loop)}") from None

    def stats(self, loop="default"):
        return self.ask("GET", f"/v1/loops/{loop}/stats")[1]


def wait_for(condition, seconds=240):
    """What the condition gives once it is true. A learner steps back for everybody else: beside compilers it takes minutes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise TimeoutError("nothing came of it")


def ask(connection, method, path, body=None, token=None, headers=None, raw=False):
    all_headers = dict(headers or {})
    if token:
        all_headers["Authorization"] = "Bearer " + token
    data = None
    if body is not None:
        data = body if isinstance(body, (bytes, str)) else json.dumps(body)
        all_headers.setdefault("Content-Type", "application/json")
    connection.request(method, path, data, all_headers)
    answer = connection.getresponse()
    content = answer.read()
    if not raw and "json" in (answer.getheader("Content-Type") or ""):
        return answer.status, json.loads(content)
    return answer.status, content


def vectors(*rows, **more):
    return {"actions": [{"id": f"a{k}", "vector": list(row)} for k, row in enumerate(rows)], **more}
