"""Operators of `torch.library` whose implementation is for the GPU.

The CPU's place in the dispatcher is taken by a function that asks where the tensors are: those of the GPU go to what was
registered for CUDA, those of the host to what was registered for the CPU, or was there before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

_KEYS = {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU", "AutocastCUDA": "AutocastCPU"}
"""Dispatch keys of the GPU, and which take their place."""


class Operators:
    """What is registered since a device seems to be there."""

    def __init__(
        self,
        on_host: Callable[[torch.Tensor], bool],
        seen: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        self._on_host, self._seen = on_host, seen
        self._implementations: dict[tuple[str, str], dict[bool, Callable[..., Any]]] = {}
        register = torch.library.Library.impl

        def impl(
            library: Any, name: Any, function: Any, dispatch_key: str = "", *, with_keyset: bool = False, **kwargs: Any
        ) -> None:
            key = dispatch_key or library.dispatch_key
            host_key = _KEYS.get(key, key)
            if host_key not in _KEYS.values() or getattr(function, "__module__", "").startswith("torch._dynamo"):
                register(library, name, function, dispatch_key, with_keyset=with_keyset, **kwargs)
                return
            qualified = library._resolve_op_name(name, "impl") if hasattr(library, "_resolve_op_name") else str(name)
            qualified = qualified if "::" in qualified else f"{library.ns}::{qualified}"
            both = self._implementations.setdefault((qualified, host_key), {})
            first = not both
            both[key != host_key] = self._keyless(function, with_keyset)
            if first:
                before = _before(qualified, host_key)
                register(library, name, self._choice(both, before), host_key, with_keyset=True, **kwargs)

        self.impl = impl

    def _keyless(self, function: Any, with_keyset: bool) -> Callable[..., Any]:
        """The function as one whose first argument is the set of dispatch keys."""
        function = self._seen(function)
        return function if with_keyset else lambda _, *args, **kwargs: function(*args, **kwargs)

    def _choice(self, both: dict[bool, Callable[..., Any]], before: Any) -> Callable[..., Any]:
        def choose(keys: Any, *args: Any, **kwargs: Any) -> Any:
            on_gpu = not any(map(self._on_host, _tensors((*args, *kwargs.values()))))
            chosen = both.get(on_gpu)
            if chosen is not None:
                return chosen(keys, *args, **kwargs)
            if before is not None:
                return before.call_boxed(keys, *args, **kwargs)
            where = "GPU" if on_gpu else "host"
            raise NotImplementedError(f"this operator has no implementation for tensors on the {where}")

        return choose


def _before(name: str, key: str) -> Any:
    """What the dispatcher calls so far, if it tells."""
    try:
        return torch.library.get_kernel(name, key)
    except (AttributeError, RuntimeError, ValueError):
        return None


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(value)
