"""The architectures that are compiled, one module each, by the names of their packages."""

from __future__ import annotations

from p4xdp.frontend.elaborate.architectures import ebpf_model, psa, v1model, xdp_model
from p4xdp.frontend.elaborate.architectures.blocks import Architecture, Main

ARCHITECTURES: dict[str, Architecture] = {
    "xdp": xdp_model.ARCHITECTURE,
    "ebpfFilter": ebpf_model.ARCHITECTURE,
    "V1Switch": v1model.ARCHITECTURE,
    "PSA_Switch": psa.ARCHITECTURE,
}

__all__ = ["ARCHITECTURES", "Architecture", "Main"]
