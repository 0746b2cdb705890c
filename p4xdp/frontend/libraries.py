"""The names that come with architecture files, to say what an undeclared one lacks.

In: a name. Out: help text. Only names that a program is likely to use first are listed.
"""

from __future__ import annotations

_LIBRARY_NAMES = {
    "core.p4": "packet_in packet_out NoAction verify static_assert exact ternary lpm",
    "ebpf_model.p4": "CounterArray array_table hash_table ebpfFilter",
    "xdp_model.p4": "xdp xdp_input xdp_output xdp_action xdp_parse xdp_switch xdp_deparse"
    " csum_replace2 csum_replace4 ebpf_ipv4_checksum BPF_KTIME_GET_NS BPF_PERF_EVENT_OUTPUT",
    "v1model.p4": "V1Switch standard_metadata_t mark_to_drop direct_counter direct_meter"
    " HashAlgorithm CounterType MeterType CloneType action_profile action_selector update_checksum"
    " verify_checksum update_checksum_with_payload verify_checksum_with_payload Checksum16 clone"
    " clone3 clone_preserving_field_list recirculate resubmit digest log_msg",
    "psa.p4": "PSA_Switch IngressPipeline EgressPipeline PacketReplicationEngine"
    " BufferingQueueingEngine InternetChecksum psa_ingress_input_metadata_t"
    " psa_ingress_output_metadata_t psa_egress_input_metadata_t psa_egress_output_metadata_t"
    " psa_ingress_parser_input_metadata_t psa_egress_parser_input_metadata_t"
    " psa_egress_deparser_input_metadata_t PSA_HashAlgorithm_t PSA_CounterType_t PSA_MeterType_t"
    " PSA_MeterColor_t PSA_PacketPath_t DirectCounter DirectMeter ActionProfile ActionSelector"
    " send_to_port ingress_drop egress_drop",
}

INCLUDES = {name: library for library, names in _LIBRARY_NAMES.items() for name in names.split()}

_OTHER_NAMES = {
    "tna": "ingress_intrinsic_metadata_t ingress_intrinsic_metadata_for_tm_t"
    " ingress_intrinsic_metadata_for_deparser_t ingress_intrinsic_metadata_from_parser_t"
    " egress_intrinsic_metadata_t egress_intrinsic_metadata_for_deparser_t"
    " egress_intrinsic_metadata_from_parser_t egress_intrinsic_metadata_for_output_port_t"
    " RegisterAction Pipeline Switch",
    "pna": "PNA_NIC pna_main_parser_input_metadata_t pna_main_input_metadata_t"
    " pna_main_output_metadata_t pna_pre_input_metadata_t pna_pre_output_metadata_t",
    "ubpf_model": "ubpf ubpf_action",
}

OTHER_ARCHITECTURES = {
    name: architecture for architecture, names in _OTHER_NAMES.items() for name in names.split()
}


def library_help(name: str) -> str | None:
    """Return which file to include for a name, or which architecture it belongs to."""
    if name in INCLUDES:
        return f"add `#include <{INCLUDES[name]}>`"
    if name in OTHER_ARCHITECTURES:
        return (
            f"this name belongs to {OTHER_ARCHITECTURES[name]}; p4xdp compiles xdp_model,"
            " ebpf_model, v1model and psa"
        )
    return None
