"""What can go wrong. The text is the engine's: where, what, and what to do.

>>> import neuralts
>>> try:
...     neuralts.Policy("rendom", dim=2)
... except neuralts.BadSpecError as error:
...     print(error)
policy: unknown policy 'rendom': did you mean 'random'?
"""


class Error(RuntimeError):
    """The world failed: a missing or damaged file, a bad specification. Nothing was changed by the call."""


class BadSpecError(Error, ValueError):
    """An unknown name or key, or a value out of its range."""


class BadInputError(Error, ValueError):
    """A file or stream whose content is not what its format asks for."""


class NotFoundError(Error, FileNotFoundError):
    """A file, a data set or a name that is not there."""


class InputOutputError(Error, OSError):
    """The operating system or the network said no."""


class CorruptError(Error, ValueError):
    """A saved file that is truncated or whose checksum is wrong."""


class UnsupportedError(Error, NotImplementedError):
    """Asked for something this build or this policy does not have."""


class ContractError(ValueError):
    """A call that cannot be meant: a NaN, a wrong size, no arms. Nothing was changed by the call."""
