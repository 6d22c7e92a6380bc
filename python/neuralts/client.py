"""A running decision service, with the five lines of a policy in the same process.

    policy = neuralts.Client("http://127.0.0.1:8080")
    d = policy.select({"country": "DE", "hour": 14}, actions=[{"id": "item7", "price": 3.5}, {"id": "item9", "price": 8.0}])
    d.action, d.probability, d.event_id
    policy.reward(d.event_id, 1.0)                       # now, or in three hours

Every call may be sent again without harm: an event carries an id of its own, and a reward is applied once per event and key.
So a call that gets no answer, or is told to wait, is repeated until it succeeds or `retries` are used up.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import random
import ssl
import threading
import time
import urllib.parse
import uuid
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Union

from neuralts.errors import BadInputError, ContractError, InputOutputError, NotFoundError

__all__ = ["Client", "Ranked"]

COME_AGAIN = (429, 502, 503, 504)  # of the service, or of a gateway that found none


@dataclass(frozen=True)
class Ranked:
    """What the service chose: `action` is the id of the action, `ranking` all ids with their probabilities."""

    action: str
    probability: float
    event_id: str
    model: int
    ranking: "dict[str, float]" = field(default_factory=dict)
    acknowledged: str = "durable"


class Client:
    """One service. Threads and forked processes may share it: each has a connection of its own."""

    def __init__(self, url: str, loop: str = "default", token: Optional[str] = None, timeout: float = 5.0, retries: int = 5,
                 context: Optional[ssl.SSLContext] = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"client: '{url}' is no address: http://HOST:PORT")
        self._secure, self._host = parts.scheme == "https", parts.hostname
        self._port = parts.port or (443 if self._secure else 80)
        self._path = parts.path.rstrip("/")  # of a service behind another one's address
        self.loop, self._token, self._timeout, self._retries, self._context = loop, token, timeout, retries, context
        self._local = threading.local()

    def select(self, context: Optional[Mapping[str, Any]] = None, actions: Sequence[Union[str, int, Mapping[str, Any]]] = (), *,
               excluded: Sequence[Union[str, int]] = (), event_id: Optional[str] = None, defer: bool = False) -> Ranked:
        """Chooses one of `actions`: objects with an "id" and features, or with an "id" and a "vector", or ids alone."""
        body: "dict[str, Any]" = {"actions": [_action(a) for a in _listed(actions, "actions")], "event_id": event_id or uuid.uuid4().hex}
        if context is not None:
            body["context"] = _plain(dict(context), "context")
        left_out = [str(a) for a in _listed(excluded, "excluded")]
        if left_out:
            body["excluded"] = left_out
        if defer:
            body["defer"] = True
        answer = self._call("POST", f"/v1/loops/{_quoted(self.loop)}/rank", body)
        return Ranked(answer["action"], answer["probability"], answer["event_id"], answer["model"],
                      {row["id"]: row["probability"] for row in answer["ranking"]}, answer["acknowledged"])

    def reward(self, event_id: str, value: float, key: Optional[str] = None) -> str:
        """Tells what an event earned. "applied", "duplicate" (this event and key have a reward already), "late", or "accepted" (by a node
        that hands it on: the event is another's)."""
        body: "dict[str, Any]" = {"value": _finite(float(value), "reward")}
        if key is not None:
            body["key"] = key
        answer = self._call("POST", f"/v1/events/{_event(event_id)}/reward?loop={_quoted(self.loop)}", body)
        return next(word for word in ("applied", "duplicate", "late", "accepted") if answer.get(word))

    def activate(self, event_id: str) -> None:
        """A deferred event was shown."""
        self._call("POST", f"/v1/events/{_event(event_id)}/activate?loop={_quoted(self.loop)}", None)

    def configure(self, **configuration: Any) -> "dict[str, Any]":
        """Makes or changes the loop (doc/service.md): configure(policy="neural-ts", reward={"window_seconds": 3600})."""
        return self._call("PUT", f"/v1/loops/{_quoted(self.loop)}", configuration)

    def stats(self) -> "dict[str, Any]":
        """The loop's numbers: decisions, rewards, models, what the page shows."""
        return self._call("GET", f"/v1/loops/{_quoted(self.loop)}/stats", None)

    def close(self) -> None:
        """Ends this thread's connection; the next call opens another."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _connection(self) -> http.client.HTTPConnection:
        connection = getattr(self._local, "connection", None)
        if connection is None or self._local.process != os.getpid():  # a fork's answers would mix with its parent's
            if self._secure:
                connection = http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)
            else:
                connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
            self._local.connection, self._local.process = connection, os.getpid()
        return connection

    def _call(self, method: str, target: str, body: Any) -> "dict[str, Any]":
        text = None if body is None else json.dumps(body, allow_nan=False).encode()
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        trouble = ""
        for attempt in range(self._retries + 1):
            if attempt > 0:
                time.sleep(min(2.0, 0.05 * 2**attempt) * (0.5 + random.random() / 2))
            try:
                connection = self._connection()
                connection.request(method, self._path + target, text, headers)
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.close()
                trouble = str(error) or type(error).__name__
                continue
            if answer.status in COME_AGAIN:
                trouble = _detail(content)
                continue
            if answer.status < 300:
                return self._read(content)
            detail = f"{target}: {_detail(content)}"
            if answer.status == 404:
                raise NotFoundError(detail)
            raise (BadInputError if answer.status < 500 else InputOutputError)(detail)
        raise InputOutputError(f"{self._host}:{self._port}: no answer after {self._retries + 1} attempts: {trouble}")

    def _read(self, content: bytes) -> "dict[str, Any]":
        try:
            found: "dict[str, Any]" = json.loads(content) if content else {}
            return found
        except ValueError:
            raise InputOutputError(f"{self._host}:{self._port}: the answer is not JSON: is this the address of a service?") from None


def _listed(given: Sequence[Any], name: str) -> Sequence[Any]:
    if isinstance(given, (str, bytes, Mapping)):
        raise TypeError(f"{name}: a list is needed, not {type(given).__name__}")
    return given


def _finite(value: float, place: str) -> float:
    if not math.isfinite(value):
        raise ContractError(f"{place}: the number is not finite: {value}")
    return value


def _plain(value: Any, place: str) -> Any:
    """As JSON has it: numpy's numbers and arrays are numbers and lists; one that is no number is missing, as for a policy."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item, f"{place}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item, place) for item in value]
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else _finite(value, place)


def _action(action: Union[str, int, Mapping[str, Any]]) -> "dict[str, Any]":
    if not isinstance(action, Mapping):
        return {"id": str(action)}
    if "id" not in action:
        raise ValueError(f"client: an action needs an 'id': {dict(action)!r}")
    name = str(action["id"])
    if set(action) == {"id", "vector"}:
        return {"id": name, "vector": [_finite(float(x), f"the vector of '{name}'") for x in action["vector"]]}
    return {"id": name, "features": {key: _plain(value, f"'{name}'.{key}") for key, value in action.items() if key != "id"}}


def _event(event_id: str) -> str:
    if not event_id or not isinstance(event_id, str):
        raise ContractError(f"client: an event's id is a text of at least one letter, not {event_id!r}")
    return _quoted(event_id)


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _detail(content: bytes) -> str:
    try:
        problem = json.loads(content)
        return f"{problem.get('field', '')}: {problem['detail']}".lstrip(": ")
    except (ValueError, KeyError, AttributeError):  # another server's page
        return content[:200].decode(errors="replace")
