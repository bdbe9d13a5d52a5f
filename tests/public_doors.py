"""The public functions, classes and methods of the package, each with its name."""

import inspect
import pkgutil
from importlib import import_module

import ppdm


def _is_its_own(door, method):
    """Say whether a method is a class's own, or that of a base which nobody sees by itself."""
    owner = next(base for base in door.__mro__ if method.__name__ in vars(base))
    room = door.__module__.rpartition("._")[0]
    seen = room and owner.__name__ in import_module(room).__all__
    return owner is door or (owner.__module__.rpartition("._")[0] == room != "" and not seen)


def rooms():
    """Yield each public module with its name, without ``ppdm.``."""
    for info in pkgutil.iter_modules(ppdm.__path__):
        if not info.name.startswith("_"):
            yield info.name, import_module(f"ppdm.{info.name}")


def _doors():
    for room, module in rooms():
        for name in getattr(module, "__all__", ()):
            door = getattr(module, name)
            if inspect.isfunction(door):
                yield f"{room}.{name}", door
            elif inspect.isclass(door) and not issubclass(door, Exception):
                yield f"{room}.{name}", door
                for method, its in inspect.getmembers(door, inspect.isroutine):
                    # scikit-learn adds set_..._request to its estimators
                    if method[0] != "_" and "_request" not in method and _is_its_own(door, its):
                        yield f"{room}.{name}.{method}", its


#: By names such as ``noise.AdditiveNoise.on``.
DOORS = dict(_doors())
