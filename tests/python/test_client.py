"""neuralts.Client against a running service. NEURALTS_CLI: the program; skipped without."""
import http.server
import os
import subprocess
import threading

import numpy as np
import pytest

import neuralts

NEURALTS = os.environ.get("NEURALTS_CLI", "")
pytestmark = pytest.mark.skipif(not NEURALTS or subprocess.run([NEURALTS, "serve", "--help"], capture_output=True).returncode != 0,
                                reason="no program with the service")
ITEMS = [{"id": "item7", "price": 3.5}, {"id": "item9", "price": 8.0}]


@pytest.fixture
def address(tmp_path):
    process = subprocess.Popen([NEURALTS, "serve", "--dir", str(tmp_path / "service"), "--listen", "127.0.0.1:0", "--quiet"],
                               stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()


def test_five_lines(address):
    policy = neuralts.Client(address)
    d = policy.select({"country": "DE", "hour": 14}, actions=ITEMS)
    assert d.action in ("item7", "item9")
    assert abs(sum(d.ranking.values()) - 1) < 1e-5 and d.ranking[d.action] == d.probability
    assert policy.reward(d.event_id, 1.0) == "applied"
    assert policy.reward(d.event_id, 1.0) == "duplicate"


def test_an_event_asked_again_is_the_same(address):
    with neuralts.Client(address) as policy:
        answers = {policy.select(actions=["a", "b", "c"], event_id="e").action for _ in range(20)}
    assert len(answers) == 1


def test_what_is_wrong_is_said(address):
    policy = neuralts.Client(address, retries=0)
    with pytest.raises(neuralts.NotFoundError, match="nobody"):
        policy.reward("nobody", 1)
    with pytest.raises(neuralts.BadInputError, match="excluded"):
        policy.select(actions=["a"], excluded=["b"])
    with pytest.raises(ValueError):
        policy.select(actions=[{"price": 1}])
    with pytest.raises(neuralts.BadInputError, match="policy"):
        neuralts.Client(address, loop="other").configure(policy="neural-tz")
    with pytest.raises(neuralts.InputOutputError, match="no answer"):
        neuralts.Client("http://127.0.0.1:9", retries=1, timeout=0.5).select(actions=["a"])


def test_what_a_policy_takes_the_service_takes(address):
    policy = neuralts.Client(address)
    context = {"hour": np.int64(3), "size": np.float32(1.5), "new": np.bool_(True), "where": np.array([1.0, 2.0]), "age": float("nan")}
    assert policy.select(context, [1, 2]).action in ("1", "2")
    assert policy.select(context, [{"id": np.int64(7), "price": np.float32(2)}, {"id": "b", "price": float("nan")}]).action in ("7", "b")
    assert policy.select(actions=[{"id": "a", "vector": np.ones(2)}, {"id": "b", "vector": (0, 1)}]).action in ("a", "b")
    assert policy.select(actions=[7, 9], excluded=[7]).action == "9"


def test_what_cannot_be_sent_is_named():
    policy = neuralts.Client("http://127.0.0.1:9", retries=0, timeout=0.5)  # nobody: nothing is sent
    inf = float("inf")
    cases = [
        (lambda: policy.select({"user": {"age": inf}}, ["a"]), neuralts.ContractError, "context.user.age: .* inf"),
        (lambda: policy.select(actions=[{"id": "a", "sizes": [1, -inf]}]), neuralts.ContractError, "'a'.sizes: .* -inf"),
        (lambda: policy.select(actions=[{"id": "a", "vector": [1, float("nan")]}]), neuralts.ContractError, "vector of 'a': .* nan"),
        (lambda: policy.reward("e", float("nan")), neuralts.ContractError, "reward: .* nan"),
        (lambda: policy.reward("", 1), neuralts.ContractError, "event's id"),
        (lambda: policy.reward(7, 1), neuralts.ContractError, "event's id .* not 7"),
        (lambda: policy.activate(""), neuralts.ContractError, "event's id"),
        (lambda: policy.select(actions="item7"), TypeError, "actions: a list is needed, not str"),
        (lambda: policy.select(actions=["a", "b"], excluded="ab"), TypeError, "excluded: a list is needed, not str"),
    ]
    for call, kind, words in cases:
        with pytest.raises(kind, match=words):
            call()


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Another server: a path of its own, and no JSON at /."""

    asked = []

    def do_POST(self):
        self.asked.append(self.path)
        self.rfile.read(int(self.headers["Content-Length"]))
        if "gateway" in self.path:  # two without a service behind it, then one
            without = self.asked.count(self.path) < 3
            self.send_response(502 if without else 400)
            self.end_headers()
            self.wfile.write(b'["no upstream"]')
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>" if "html" in self.path else b'{"applied": true}')

    def log_message(self, *_):
        pass


def test_a_service_behind_a_path_and_a_server_that_is_none():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert neuralts.Client(address + "/decisions/").reward("e", 1) == "applied"
        assert Elsewhere.asked == ["/decisions/v1/events/e/reward?loop=default"]
        with pytest.raises(neuralts.InputOutputError, match="not JSON"):
            neuralts.Client(address + "/html").reward("e", 1)
        with pytest.raises(neuralts.BadInputError, match="no upstream"):
            neuralts.Client(address + "/gateway").reward("e", 1)
        assert Elsewhere.asked[-3:] == ["/gateway/v1/events/e/reward?loop=default"] * 3
        server.shutdown()


def test_threads_share_a_client(address):
    policy, events = neuralts.Client(address), []
    threads = [threading.Thread(target=lambda: events.extend(policy.select(actions=["a", "b"]).event_id for _ in range(10))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(events)) == 40
    assert policy.stats()["loop"] == "default"


def test_a_forked_process_has_a_connection_of_its_own(address):
    """With its parent's the two would read each other's answers."""
    policy = neuralts.Client(address)
    policy.select(actions=["before"])
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = all(policy.select(actions=["b"], event_id=f"child-{k}").event_id == f"child-{k}" for k in range(50))
        finally:
            os._exit(0 if good else 1)
    mine = [policy.select(actions=["a"], event_id=f"parent-{k}").event_id for k in range(50)]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert mine == [f"parent-{k}" for k in range(50)]
