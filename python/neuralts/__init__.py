"""Neural contextual bandits: five lines to a decision, four to an experiment.

>>> import neuralts, numpy as np
>>> p = neuralts.Policy("random", dim=20, seed=1)
>>> contexts = np.random.default_rng(1).normal(size=(10, 20))
>>> d = p.select(contexts)
>>> p.learn(contexts[d.arm], 1.0)
"""

from neuralts._core import (
    Analysis,
    Choice,
    Contribution,
    Decision,
    Environment,
    EnvironmentInfo,
    Episode,
    Explanation,
    Features,
    LoggedRound,
    LogWriter,
    ParamInfo,
    Policy,
    PolicyInfo,
    Selector,
    __version__,
    analyse,
    environments,
    policies,
    tangent_kernel,
)
from neuralts.client import Client
from neuralts.errors import (
    BadInputError,
    BadSpecError,
    ContractError,
    CorruptError,
    Error,
    InputOutputError,
    NotFoundError,
    UnsupportedError,
)
from neuralts.evaluation import Evaluation, Tuning, action_dist, evaluate, tune
from neuralts.lab import run
from neuralts.logs import Log, bandit_feedback, log_run, read_log, write_log
from neuralts.results import Results, Run

__all__ = [
    "Analysis",
    "BadInputError",
    "BadSpecError",
    "Choice",
    "Client",
    "ContractError",
    "Contribution",
    "CorruptError",
    "Decision",
    "Environment",
    "EnvironmentInfo",
    "Episode",
    "Error",
    "Evaluation",
    "Explanation",
    "Features",
    "InputOutputError",
    "Log",
    "LogWriter",
    "LoggedRound",
    "NotFoundError",
    "ParamInfo",
    "Policy",
    "PolicyInfo",
    "Results",
    "Run",
    "Selector",
    "Tuning",
    "UnsupportedError",
    "__version__",
    "action_dist",
    "analyse",
    "bandit_feedback",
    "environments",
    "evaluate",
    "log_run",
    "policies",
    "read_log",
    "run",
    "tangent_kernel",
    "tune",
    "write_log",
]
