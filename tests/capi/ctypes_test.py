"""The C interface from Python's ctypes, which knows nothing but the header's words."""
import ctypes
import json
import math
import os
import threading
import unittest

library = ctypes.CDLL(os.environ["NEURALTS_C"])
handle = ctypes.c_void_p
numbers = ctypes.POINTER(ctypes.c_double)


class Decision(ctypes.Structure):
    _fields_ = [("arm", ctypes.c_size_t), ("probability", ctypes.c_double), ("estimated", ctypes.c_int), ("arms", ctypes.c_size_t),
                ("probabilities", numbers), ("mean", numbers), ("width", numbers)]


class Choice(ctypes.Structure):
    _fields_ = [("event_id", ctypes.c_char_p), ("action", ctypes.c_char_p), ("decision", Decision)]


def declare(name, *arguments, result=ctypes.c_int):
    function = getattr(library, f"neuralts_{name}")
    function.argtypes, function.restype = arguments, result
    return function


text, size, real = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_double
agent_create = declare("agent_create", text, text, text, size, size, ctypes.c_uint64, ctypes.POINTER(handle))
agent_select = declare("agent_select", handle, numbers, size, size, ctypes.POINTER(Decision))
agent_learn = declare("agent_learn", handle, numbers, size, size, real, real)
agent_publish = declare("agent_publish", handle, ctypes.POINTER(handle))
agent_free = declare("agent_free", handle, result=None)
model_select = declare("model_select", handle, handle, numbers, size, size, ctypes.POINTER(Decision))
model_free = declare("model_free", handle, result=None)
decider_create = declare("decider_create", ctypes.c_uint64, ctypes.POINTER(handle))
decider_free = declare("decider_free", handle, result=None)
session_create = declare("session_create", text, text, text, text, size, ctypes.c_uint64, ctypes.POINTER(handle))
session_select = declare("session_select", handle, text, text, real, text, ctypes.POINTER(Choice))
session_reward = declare("session_reward", handle, text, real, real, ctypes.POINTER(ctypes.c_int))
session_free = declare("session_free", handle, result=None)
error_text = declare("error_text", result=text)


def made(create, *arguments):
    out = handle()
    if create(*arguments, ctypes.byref(out)) != 0:
        raise RuntimeError(error_text().decode())
    return out


def array(*values):
    return (ctypes.c_double * len(values))(*values)


class Agents(unittest.TestCase):
    contexts = array(1, 0, 0, 1)

    def agent(self):
        agent = made(agent_create, b"linear-ts", None, b"nu=0.2", 2, 1, 3)
        self.addCleanup(agent_free, agent)
        return agent

    def test_it_learns_which_arm_is_better(self):
        agent, decision = self.agent(), Decision()
        for _ in range(80):
            self.assertEqual(agent_select(agent, self.contexts, 2, 2, decision), 0)
            self.assertTrue(math.isclose(sum(decision.probabilities[:2]), 1, abs_tol=1e-9))
            row = array(*self.contexts[2 * decision.arm:2 * decision.arm + 2])
            self.assertEqual(agent_learn(agent, row, 2, 0, float(decision.arm == 1), 1.0), 0)
        agent_select(agent, self.contexts, 2, 2, decision)
        self.assertGreater(decision.probabilities[1], 0.95)

    def test_a_model_decides_on_many_threads(self):
        agent = self.agent()
        for _ in range(10):
            agent_learn(agent, array(0, 1), 2, 0, 1.0, 1.0)
        model = made(agent_publish, agent)
        self.addCleanup(model_free, model)
        seen = []

        def decide():
            decider, decision = made(decider_create, 5), Decision()
            arms = []
            for _ in range(200):
                assert model_select(model, decider, self.contexts, 2, 2, decision) == 0
                arms.append(decision.arm)
            decider_free(decider)
            seen.append(arms)

        threads = [threading.Thread(target=decide) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(seen, [seen[0]] * 4)

    def test_errors_are_texts(self):
        with self.assertRaisesRegex(RuntimeError, "neuralts_agent_create: .*linear-ts"):
            made(agent_create, b"linear-tz", None, None, 2, 1, 1)

    def test_a_text_that_quotes_other_bytes_is_utf8(self):
        with self.assertRaisesRegex(RuntimeError, r"unknown policy '\?\?x': known: .*neural-ts"):
            made(agent_create, b"\xff\xfex", None, None, 2, 1, 1)
        with self.assertRaisesRegex(RuntimeError, "unknown policy 'é'"):
            made(agent_create, "é".encode(), None, None, 2, 1, 1)
        for name in ("é" * 3000, "a" + "é" * 3000, "日" * 3000, "a日" * 3000):  # longer than the text's room: cut somewhere
            with self.assertRaisesRegex(RuntimeError, f"unknown policy '{name[:500]}"):
                made(agent_create, name.encode(), None, None, 2, 1, 1)

    def test_a_wrong_weight_is_told_shortly(self):
        self.assertNotEqual(agent_learn(self.agent(), array(0, 1), 2, 0, 1.0, 1e300), 0)
        self.assertRegex(error_text().decode(), "a weight .*: 1e[+]300$")


class Sessions(unittest.TestCase):
    def test_objects_go_in_as_json(self):
        session = made(session_create, b"linear-ts", None, b"nu=0.2", None, 0, 1)
        self.addCleanup(session_free, session)
        actions = json.dumps([{"id": "tea"}, {"id": "ice"}]).encode()
        choice, settled = Choice(), ctypes.c_int()
        for t in range(400):
            warm = t % 2 == 1
            self.assertEqual(session_select(session, json.dumps({"warm": warm}).encode(), actions, t, None, choice), 0, error_text())
            earned = float((choice.action == b"ice") == warm)
            self.assertEqual(session_reward(session, choice.event_id, earned, t, settled), 0)
            self.assertEqual(settled.value, 0)
        session_select(session, b'{"warm": true}', actions, 400, None, choice)
        self.assertGreater(choice.decision.probabilities[1], 0.9)


if __name__ == "__main__":
    unittest.main()
