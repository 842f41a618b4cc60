
/*
 * Copyright (C) The Olivine authors
 *
 * elfutils finds and interprets call frame information; what it says of an
 * address is boiled down to a rule and kept, since a profile meets the same
 * addresses all the time.  So most steps are a look-up and a few loads, where
 * dwfl_getthread_frames() takes some microseconds for each.
 */


#include "prof/ngx_olivine_unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>


#define NGX_OLIVINE_UNWIND_RULES    8192        /* kept; a power of two */


typedef enum {
    NGX_OLIVINE_UNWIND_NONE = 0,     /* nothing is known here */
    NGX_OLIVINE_UNWIND_CFA,          /* the frame begins at reg + offset */
    NGX_OLIVINE_UNWIND_DEREF,        /* ... at what is stored there */
    NGX_OLIVINE_UNWIND_PLT,          /* in a stub of the linker's */
    NGX_OLIVINE_UNWIND_END           /* a thread's beginning */
} ngx_olivine_unwind_e;


typedef enum {
    NGX_OLIVINE_UNWIND_SAME = 0,     /* or lost: nobody will ask for it */
    NGX_OLIVINE_UNWIND_AT            /* stored at the frame's begin + at */
} ngx_olivine_unwind_reg_e;


typedef struct {
    uintptr_t              address;
    uint8_t                kind;
    uint8_t                reg;
    uint8_t                signal;   /* its caller was interrupted */
    int32_t                offset;
    uint8_t                how[NGX_OLIVINE_UNWIND_REGS];
    int32_t                at[NGX_OLIVINE_UNWIND_REGS];
} ngx_olivine_unwind_rule_t;


struct ngx_olivine_unwind_s {
    Dwfl                       *dwfl;
    ngx_olivine_unwind_rule_t   rules[NGX_OLIVINE_UNWIND_RULES];
};


static ngx_olivine_unwind_rule_t *ngx_olivine_unwind_rule(
    ngx_olivine_unwind_t *unwind, uintptr_t address);
static void ngx_olivine_unwind_learn(ngx_olivine_unwind_rule_t *rule,
    Dwarf_Frame *frame);
static ngx_int_t ngx_olivine_unwind_cfa(ngx_olivine_unwind_rule_t *rule,
    Dwarf_Frame *frame);
static ngx_int_t ngx_olivine_unwind_step(ngx_olivine_unwind_rule_t *rule,
    ngx_olivine_unwind_state_t *st);
static ngx_int_t ngx_olivine_unwind_frame(ngx_olivine_unwind_state_t *st);
static ngx_int_t ngx_olivine_unwind_load(ngx_olivine_unwind_state_t *st,
    uintptr_t address, uintptr_t *value);


ngx_olivine_unwind_t *
ngx_olivine_unwind_create(ngx_olivine_symbols_t *symbols)
{
    ngx_olivine_unwind_t  *unwind;

    unwind = calloc(1, sizeof(ngx_olivine_unwind_t));

    if (unwind) {
        unwind->dwfl = ngx_olivine_symbols_dwfl(symbols);
    }

    return unwind;
}


void
ngx_olivine_unwind_destroy(ngx_olivine_unwind_t *unwind)
{
    free(unwind);
}


ngx_uint_t
ngx_olivine_unwind(ngx_olivine_unwind_t *unwind,
    ngx_olivine_unwind_state_t *st, uintptr_t *places, ngx_uint_t *whole)
{
    uintptr_t                   pc, sp;
    ngx_int_t                   rc;
    ngx_uint_t                  n, exact;
    ngx_olivine_unwind_rule_t  *rule;

    n = 0;
    exact = 1;
    *whole = 0;

    while (n < NGX_OLIVINE_UNWIND_DEPTH) {

        pc = st->regs[NGX_OLIVINE_UNWIND_PC];

        if (pc == 0 && n) {
            *whole = 1;
            break;
        }

        pc -= !exact;
        places[n++] = pc;

        rule = ngx_olivine_unwind_rule(unwind, pc);

        if (rule->kind == NGX_OLIVINE_UNWIND_END) {
            *whole = 1;
            break;
        }

        sp = st->regs[NGX_OLIVINE_UNWIND_SP];

        rc = ngx_olivine_unwind_step(rule, st);

        if (rc == NGX_DECLINED) {
            rc = ngx_olivine_unwind_frame(st);
        }

        /* a stack only gets shorter on the way out */

        if (rc != NGX_OK || st->regs[NGX_OLIVINE_UNWIND_SP] <= sp) {
            break;
        }

        exact = rule->signal;
    }

    return n;
}


/* A place in the table is taken over by who comes last. */

static ngx_olivine_unwind_rule_t *
ngx_olivine_unwind_rule(ngx_olivine_unwind_t *unwind, uintptr_t address)
{
    Dwarf_CFI                  *cfi;
    Dwarf_Addr                  bias;
    Dwfl_Module                *mod;
    Dwarf_Frame                *frame;
    ngx_olivine_unwind_rule_t  *rule;

    rule = &unwind->rules[(address ^ address >> 13)
                          % NGX_OLIVINE_UNWIND_RULES];

    if (rule->address == address && address) {
        return rule;
    }

    ngx_memzero(rule, sizeof(ngx_olivine_unwind_rule_t));
    rule->address = address;

    mod = dwfl_addrmodule(unwind->dwfl, address);

    if (mod == NULL) {
        return rule;
    }

    cfi = dwfl_module_eh_cfi(mod, &bias);

    if (cfi == NULL
        || dwarf_cfi_addrframe(cfi, address - bias, &frame) != 0)
    {
        cfi = dwfl_module_dwarf_cfi(mod, &bias);

        if (cfi == NULL
            || dwarf_cfi_addrframe(cfi, address - bias, &frame) != 0)
        {
            return rule;
        }
    }

    ngx_olivine_unwind_learn(rule, frame);

    free(frame);

    return rule;
}


static void
ngx_olivine_unwind_learn(ngx_olivine_unwind_rule_t *rule, Dwarf_Frame *frame)
{
    bool         signal;
    size_t       n;
    Dwarf_Op     mem[3], *ops;
    ngx_uint_t   i;

    signal = 0;
    (void) dwarf_frame_info(frame, NULL, NULL, &signal);
    rule->signal = signal;

    /* a return address that is undefined has no caller */

    if (dwarf_frame_register(frame, NGX_OLIVINE_UNWIND_PC, mem, &ops, &n) == 0
        && n == 0 && ops == mem)
    {
        rule->kind = NGX_OLIVINE_UNWIND_END;
        return;
    }

    if (ngx_olivine_unwind_cfa(rule, frame) != NGX_OK) {
        return;
    }

    for (i = 0; i < NGX_OLIVINE_UNWIND_REGS; i++) {

        if (dwarf_frame_register(frame, i, mem, &ops, &n) != 0 || n == 0) {
            continue;
        }

        if (ops[0].atom != DW_OP_call_frame_cfa) {
            continue;
        }

        if (n == 1) {
            rule->how[i] = NGX_OLIVINE_UNWIND_AT;

        } else if (n == 2 && ops[1].atom == DW_OP_plus_uconst) {
            rule->how[i] = NGX_OLIVINE_UNWIND_AT;
            rule->at[i] = (int32_t) (int64_t) ops[1].number;
        }
    }

    if (rule->how[NGX_OLIVINE_UNWIND_PC] != NGX_OLIVINE_UNWIND_AT) {
        rule->kind = NGX_OLIVINE_UNWIND_NONE;
    }
}


/*
 * Where the frame begins.  Of expressions two are met: a stack that was
 * aligned anew keeps the old one's address in memory, and the linker's stubs
 * compute from the address whether one word was pushed there.
 */

static ngx_int_t
ngx_olivine_unwind_cfa(ngx_olivine_unwind_rule_t *rule, Dwarf_Frame *frame)
{
    size_t      n;
    int64_t     offset;
    Dwarf_Op   *ops;
    ngx_uint_t  reg;

    if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0) {
        return NGX_DECLINED;
    }

    if (ops[0].atom == DW_OP_bregx) {
        reg = ops[0].number;
        offset = (int64_t) ops[0].number2;

    } else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
        reg = ops[0].atom - DW_OP_breg0;
        offset = (int64_t) ops[0].number;

    } else {
        return NGX_DECLINED;
    }

    if (reg >= NGX_OLIVINE_UNWIND_REGS
        || offset < INT32_MIN || offset > INT32_MAX)
    {
        return NGX_DECLINED;
    }

    rule->reg = reg;
    rule->offset = (int32_t) offset;

    if (n == 1) {
        rule->kind = NGX_OLIVINE_UNWIND_CFA;

    } else if (n == 2 && ops[1].atom == DW_OP_deref) {
        rule->kind = NGX_OLIVINE_UNWIND_DEREF;

    } else if (n > 2 && reg == NGX_OLIVINE_UNWIND_SP
               && ops[1].atom >= DW_OP_breg0 && ops[1].atom <= DW_OP_breg31
               && ops[1].atom - DW_OP_breg0 == NGX_OLIVINE_UNWIND_PC)
    {
        rule->kind = NGX_OLIVINE_UNWIND_PLT;

        /* the low bits of the address from which on a word more is there */

        for (reg = 2; reg + 2 < n; reg++) {
            if (ops[reg].atom == DW_OP_and && ops[reg + 2].atom == DW_OP_ge) {
                offset = ops[reg + 1].atom - DW_OP_lit0;

                if (offset >= 0 && offset < 32
                    && (rule->address & 15) >= (uintptr_t) offset)
                {
                    rule->offset += sizeof(uintptr_t);
                }
            }
        }

    } else {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/* One call outwards.  OK; DECLINED: it is not known how; ERROR: no stack. */

static ngx_int_t
ngx_olivine_unwind_step(ngx_olivine_unwind_rule_t *rule,
    ngx_olivine_unwind_state_t *st)
{
    uintptr_t   cfa, regs[NGX_OLIVINE_UNWIND_REGS];
    ngx_uint_t  i;

    if (rule->kind == NGX_OLIVINE_UNWIND_NONE) {
        return NGX_DECLINED;
    }

    cfa = st->regs[rule->reg] + rule->offset;

    if (rule->kind == NGX_OLIVINE_UNWIND_DEREF
        && ngx_olivine_unwind_load(st, cfa, &cfa) != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < NGX_OLIVINE_UNWIND_REGS; i++) {
        regs[i] = st->regs[i];

        if (rule->how[i] == NGX_OLIVINE_UNWIND_AT
            && ngx_olivine_unwind_load(st, cfa + rule->at[i], &regs[i])
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    regs[NGX_OLIVINE_UNWIND_SP] = cfa;

    ngx_memcpy(st->regs, regs, sizeof(regs));

    return NGX_OK;
}


/* The same by the frame pointer. */

static ngx_int_t
ngx_olivine_unwind_frame(ngx_olivine_unwind_state_t *st)
{
    uintptr_t  fp, next, pc;

    fp = st->regs[NGX_OLIVINE_UNWIND_FP];

    if (fp < st->regs[NGX_OLIVINE_UNWIND_SP]
        || ngx_olivine_unwind_load(st, fp, &next) != NGX_OK
        || ngx_olivine_unwind_load(st, fp + sizeof(uintptr_t), &pc) != NGX_OK)
    {
        return NGX_ERROR;
    }

    st->regs[NGX_OLIVINE_UNWIND_FP] = next;
    st->regs[NGX_OLIVINE_UNWIND_PC] = pc;
    st->regs[NGX_OLIVINE_UNWIND_SP] = fp + 2 * sizeof(uintptr_t);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_unwind_load(ngx_olivine_unwind_state_t *st, uintptr_t address,
    uintptr_t *value)
{
    if (address < st->from
        || address - st->from > st->len
        || st->len - (address - st->from) < sizeof(uintptr_t))
    {
        return NGX_ERROR;
    }

    ngx_memcpy(value, st->copy + (address - st->from), sizeof(uintptr_t));

    return NGX_OK;
}
