// The core library of P4_16: packets, errors and the match kinds that every architecture has.

#ifndef _CORE_P4_
#define _CORE_P4_

error {
    NoError,
    PacketTooShort,
    NoMatch,
    StackOutOfBounds,
    HeaderTooShort,
    ParserTimeout,
    ParserInvalidArgument
}

// A packet on its way in; a cursor moves through it.
extern packet_in {
    // Read a header of fixed size at the cursor, make it valid and move past it.
    void extract<T>(out T hdr);
    // Read a header with one varbit field of the given size; the size is in bits.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // Read at the cursor and leave the cursor where it is.
    T lookahead<T>();
    // Move the cursor forward.
    void advance(in bit<32> sizeInBits);
    // The length of the packet in bytes.
    bit<32> length();
}

// A packet on its way out.
extern packet_out {
    // Append a valid header, or each valid header in a stack, a union or a struct.
    void emit<T>(in T hdr);
}

// In a parser: go to the reject state with the error unless the check holds.
extern void verify(in bool check, in error toSignal);

// Do nothing.
@noWarn("unused")
action NoAction() {}

match_kind {
    exact,
    ternary,
    lpm
}

// Stop the compilation, with the message, unless the check holds.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
