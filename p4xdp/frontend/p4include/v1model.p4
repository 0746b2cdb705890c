// The v1model architecture: the pipeline of the software switch bmv2, `simple_switch`.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include <core.p4>

// The interface exists in two versions. From 20200408 on, ports have a type name, and counters,
// meters and registers take an index of any type; before, it is a bit<32>.
#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

#if V1MODEL_VERSION != 20180101 && V1MODEL_VERSION != 20200408
#error V1MODEL_VERSION must be 20180101 or 20200408
#endif

#if V1MODEL_VERSION >= 20200408
#define P4XDP_V1MODEL_PORT PortId_t
#define P4XDP_V1MODEL_INDEX I
#else
#define P4XDP_V1MODEL_PORT bit<9>
#define P4XDP_V1MODEL_INDEX bit<32>
#endif

match_kind {
    range,
    optional,
    selector
}

const bit<32> __v1model_version = V1MODEL_VERSION;

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#endif

@metadata
struct standard_metadata_t {
    P4XDP_V1MODEL_PORT ingress_port;
    // Where ingress wants the packet to go; 511 is nowhere.
    P4XDP_V1MODEL_PORT egress_spec;
    // Where the packet goes, while egress runs.
    P4XDP_V1MODEL_PORT egress_port;
    // 0 for a packet that arrived, 1 and 2 for a clone made by ingress and by egress, 4 for one
    // that was recirculated, 5 for a copy of a multicast group, 6 for one that was resubmitted.
    bit<32> instance_type;
    // In bytes.
    bit<32> packet_length;
    bit<32> enq_timestamp;
    bit<19> enq_qdepth;
    bit<32> deq_timedelta;
    bit<19> deq_qdepth;
    // In microseconds.
    bit<48> ingress_global_timestamp;
    bit<48> egress_global_timestamp;
    // The group to replicate to; 0 is none.
    bit<16> mcast_grp;
    // Which copy of its group the packet is.
    bit<16> egress_rid;
    // 1 when a verify_checksum found another sum.
    bit<1> checksum_error;
    error parser_error;
    bit<3> priority;
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

#define V1MODEL_METER_COLOR_GREEN  0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED    2

extern counter
#if V1MODEL_VERSION >= 20200408
<I>
#endif
{
    counter(bit<32> size, CounterType type);
    void count(in P4XDP_V1MODEL_INDEX index);
}

// One counter for each entry of the table that names it in its property `counters`.
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

extern meter
#if V1MODEL_VERSION >= 20200408
<I>
#endif
{
    meter(bit<32> size, MeterType type);
    // The result is a colour.
    void execute_meter<T>(in P4XDP_V1MODEL_INDEX index, out T result);
}

// One meter for each entry of the table that names it in its property `meters`.
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

#if V1MODEL_VERSION >= 20200408
extern register<T, I>
#else
extern register<T>
#endif
{
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in P4XDP_V1MODEL_INDEX index);
    void write(in P4XDP_V1MODEL_INDEX index, in T value);
}

// Values of a table's property `implementation`: entries share their actions, and with a selector
// the fields whose match kind is `selector` choose one member of a group.
extern action_profile {
    action_profile(bit<32> size);
}

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

// Both bounds are possible results.
extern void random<T>(out T result, in T lo, in T hi);

// Send the data to the control plane.
extern void digest<T>(in bit<32> receiver, in T data);

@deprecated("use mark_to_drop(standard_metadata)")
extern void mark_to_drop();
// Set egress_spec to 511 and mcast_grp to 0.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);

// The result is base + the hash of the data modulo max; base alone where max is 0.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

enum CloneType {
    I2E,
    E2E
}

@deprecated("use verify_checksum and update_checksum")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// Set checksum_error when the condition holds and the checksum of the data is another one. With
// payload, what the parser left of the packet belongs to the data.
extern void verify_checksum<T, O>(
    in bool condition, in T data, in O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(
    in bool condition, in T data, in O checksum, HashAlgorithm algo);

// Put the checksum of the data in its place when the condition holds.
@pure
extern void update_checksum<T, O>(
    in bool condition, in T data, inout O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(
    in bool condition, in T data, inout O checksum, HashAlgorithm algo);

// These take effect at the end of ingress or egress; the last call counts. The metadata fields
// with @field_list(index) keep their values, all others begin anew.
extern void clone(in CloneType type, in bit<32> session);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
@deprecated("use clone_preserving_field_list")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
extern void resubmit_preserving_field_list(bit<8> index);
@deprecated("use resubmit_preserving_field_list")
extern void resubmit<T>(in T data);
extern void recirculate_preserving_field_list(bit<8> index);
@deprecated("use recirculate_preserving_field_list")
extern void recirculate<T>(in T data);

// Shorten the packet that leaves to so many bytes.
extern void truncate(in bit<32> length);

extern void assert(in bool check);
extern void assume(in bool check);

// Each `{}` in the message stands for the next field of the data.
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

parser Parser<H, M>(
    packet_in b,
    out H parsedHdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);
control VerifyChecksum<H, M>(inout H hdr, inout M meta);
@pipeline
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);
@pipeline
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);
control ComputeChecksum<H, M>(inout H hdr, inout M meta);
@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(
    Parser<H, M> p,
    VerifyChecksum<H, M> vr,
    Ingress<H, M> ig,
    Egress<H, M> eg,
    ComputeChecksum<H, M> ck,
    Deparser<H> dep);

#undef P4XDP_V1MODEL_PORT
#undef P4XDP_V1MODEL_INDEX

#endif
