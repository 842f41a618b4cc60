
/*
 * Copyright (C) The Olivine authors
 *
 * What the block profile has of a zone.
 */


#ifndef _UNIT_BLOCKED_H_INCLUDED_
#define _UNIT_BLOCKED_H_INCLUDED_


#include "unit.h"

#include "mem/ngx_olivine_journal.h"


/* How often, and (ns) for how long, that command (NULL: any) waited so. */

static inline uint64_t
unit_blocked(ngx_olivine_zone_t *zone, ngx_olivine_block_e why,
    const char *command, uint64_t *ns)
{
    uint32_t                     i;
    uint64_t                     count;
    ngx_uint_t                   slot;
    ngx_olivine_sample_row_t    *row;
    ngx_olivine_sample_table_t  *table;

    count = 0;
    *ns = 0;

    for (slot = 0; slot < zone->slots_high; slot++) {
        table = ngx_olivine_sample_table(zone, slot);

        for (i = NGX_OLIVINE_SAMPLE_KINDS; i < table->n; i++) {
            row = &table->rows[i];

            if (row->kind != NGX_OLIVINE_SAMPLE_BLOCK || row->why != why
                || (command
                    && (row->command == 0
                        || strcmp((char *) zone->totals
                                      ->commands[row->command - 1].name,
                                  command) != 0)))
            {
                continue;
            }

            count += row->count;
            *ns += row->sum;
        }
    }

    return count;
}


#endif /* _UNIT_BLOCKED_H_INCLUDED_ */
