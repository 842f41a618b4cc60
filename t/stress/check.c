
/*
 * Copyright (C) The Olivine authors
 *
 * The search of Wing and Gong with Lowe's memory of places seen before.
 *
 * A place is a set of operations done and the value they left.  From it any
 * operation may be next that began before the first end among those not yet
 * done.  One that only read (a SET NX that came too late did, too) is taken
 * at once if it fits, where having it done can hinder no other.  Otherwise
 * all are tried, depth first, and a place that was reached before in another
 * order is not searched again.
 *
 * An operation without a reply does not have to be done, so its end holds
 * nobody back; but it must not be done after one that began when it was over
 * (its server was dead by then), nor without the one that it was sent after.
 */


#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#define STRESS_WORDS   (STRESS_OPS / 64)
#define STRESS_PLACES  (1 << 22)     /* kept, at most */


typedef struct {
    uint64_t            done[STRESS_WORDS];
    int64_t             value;
} stress_place_t;


/* A set of places: open addressing, at most half full. */

typedef struct {
    stress_place_t     *places;
    unsigned char      *used;
    size_t              size;
    size_t              n;
} stress_places_t;


typedef struct {
    stress_place_t      place;
    unsigned            next;        /* operation to try from here */
} stress_step_t;


typedef struct {
    const stress_op_t  *ops;
    unsigned            n;
    stress_places_t     seen;
    stress_step_t       steps[STRESS_OPS + 1];
} stress_search_t;


static stress_verdict_e stress_search(stress_search_t *s);
static unsigned stress_first_end(stress_search_t *s, stress_place_t *place,
    uint64_t *first, uint64_t *begun);
static int stress_may_be_next(stress_search_t *s, stress_place_t *place,
    unsigned i, uint64_t first, uint64_t begun);
static void stress_take_reads(stress_search_t *s, stress_place_t *place);
static int stress_only_read(const stress_op_t *op);
static int stress_hinders_none(stress_search_t *s, stress_place_t *place,
    unsigned i, uint64_t begun);
static int stress_places_add(stress_places_t *seen, stress_place_t *place);
static int stress_places_grow(stress_places_t *seen);
static uint64_t stress_places_hash(const stress_place_t *place);


#define stress_is_done(place, i)                                              \
    ((place)->done[(i) / 64] >> (i) % 64 & 1)

#define stress_set_done(place, i)                                             \
    (place)->done[(i) / 64] |= (uint64_t) 1 << (i) % 64


stress_verdict_e
stress_check(const stress_op_t *ops, unsigned n)
{
    stress_search_t   *s;
    stress_verdict_e   verdict;

    s = calloc(1, sizeof(stress_search_t));
    if (s == NULL || n > STRESS_OPS) {
        free(s);
        return STRESS_UNKNOWN;
    }

    s->ops = ops;
    s->n = n;

    verdict = stress_search(s);

    free(s->seen.places);
    free(s->seen.used);
    free(s);

    return verdict;
}


static stress_verdict_e
stress_search(stress_search_t *s)
{
    int             rc;
    int64_t         value;
    unsigned        depth, i;
    uint64_t        first, begun;
    stress_step_t  *step;
    stress_place_t  place;

    depth = 0;
    step = &s->steps[0];
    step->place.value = STRESS_NIL;
    stress_take_reads(s, &step->place);

    for ( ;; ) {
        step = &s->steps[depth];

        if (stress_first_end(s, &step->place, &first, &begun) == 0) {
            return STRESS_RIGHT;
        }

        for (i = step->next; i < s->n; i++) {
            if (stress_may_be_next(s, &step->place, i, first, begun)
                && stress_apply(&s->ops[i], step->place.value, &value))
            {
                break;
            }
        }

        step->next = i + 1;

        if (i == s->n) {
            if (depth == 0) {
                return STRESS_WRONG;
            }

            depth--;
            continue;
        }

        place = step->place;
        place.value = value;
        stress_set_done(&place, i);
        stress_take_reads(s, &place);

        rc = stress_places_add(&s->seen, &place);

        if (rc == -1) {
            return STRESS_UNKNOWN;
        }

        if (rc == 1) {
            depth++;
            s->steps[depth].place = place;
            s->steps[depth].next = 0;
        }
    }
}


/*
 * The first end among those that have to be done yet, the last beginning
 * among those done.  Returns how many have to be done yet.
 */

static unsigned
stress_first_end(stress_search_t *s, stress_place_t *place, uint64_t *first,
    uint64_t *begun)
{
    unsigned  i, left;

    left = 0;
    *first = UINT64_MAX;
    *begun = 0;

    for (i = 0; i < s->n; i++) {

        if (stress_is_done(place, i)) {
            if (s->ops[i].call > *begun) {
                *begun = s->ops[i].call;
            }

            continue;
        }

        if (s->ops[i].maybe) {
            continue;
        }

        left++;

        if (s->ops[i].end < *first) {
            *first = s->ops[i].end;
        }
    }

    return left;
}


static int
stress_may_be_next(stress_search_t *s, stress_place_t *place, unsigned i,
    uint64_t first, uint64_t begun)
{
    const stress_op_t  *op;

    op = &s->ops[i];

    return !stress_is_done(place, i)
           && op->call <= first
           && op->end >= begun
           && (op->after < 0 || stress_is_done(place, op->after));
}


/* Does what only read and fits, until there is no more of it. */

static void
stress_take_reads(stress_search_t *s, stress_place_t *place)
{
    int64_t   value;
    unsigned  i, taken;
    uint64_t  first, begun;

    do {
        taken = 0;

        if (stress_first_end(s, place, &first, &begun) == 0) {
            return;
        }

        for (i = 0; i < s->n; i++) {
            if (stress_only_read(&s->ops[i])
                && stress_may_be_next(s, place, i, first, begun)
                && stress_apply(&s->ops[i], place->value, &value)
                && stress_hinders_none(s, place, i, begun))
            {
                stress_set_done(place, i);
                taken = 1;
                break;
            }
        }

    } while (taken);
}


static int
stress_only_read(const stress_op_t *op)
{
    if (op->maybe) {
        return 0;
    }

    switch (op->kind) {

    case STRESS_GET:
    case STRESS_EXISTS:
        return 1;

    case STRESS_SET_NX:
    case STRESS_SET_XX:
    case STRESS_DEL:
        return op->result == 0;

    case STRESS_GETDEL:
        return op->result == STRESS_NIL;

    default:
        return 0;
    }
}


/* No one without a reply could be done now, but not any more after i. */

static int
stress_hinders_none(stress_search_t *s, stress_place_t *place, unsigned i,
    uint64_t begun)
{
    unsigned            k;
    const stress_op_t  *op;

    for (k = 0; k < s->n; k++) {
        op = &s->ops[k];

        if (op->maybe && !stress_is_done(place, k) && op->end >= begun
            && op->end < s->ops[i].call)
        {
            return 0;
        }
    }

    return 1;
}


int
stress_apply(const stress_op_t *op, int64_t value, int64_t *next)
{
    int      there;
    int64_t  result;

    there = value != STRESS_NIL;
    *next = value;

    switch (op->kind) {

    case STRESS_GET:
        result = value;
        break;

    case STRESS_EXISTS:
        result = there;
        break;

    case STRESS_SET:
        *next = op->arg;
        return 1;

    case STRESS_SET_NX:
        result = !there;

        if (!there) {
            *next = op->arg;
        }

        break;

    case STRESS_SET_XX:
        result = there;

        if (there) {
            *next = op->arg;
        }

        break;

    case STRESS_SET_GET:
        result = value;
        *next = op->arg;
        break;

    case STRESS_GETDEL:
        result = value;
        *next = STRESS_NIL;
        break;

    case STRESS_DEL:
        result = there;
        *next = STRESS_NIL;
        break;

    default: /* STRESS_INCRBY */
        result = (there ? value : 0) + op->arg;
        *next = result;
    }

    return op->maybe || op->result == result;
}


/* 1: it is new; 0: it was there; -1: too many, or no memory. */

static int
stress_places_add(stress_places_t *seen, stress_place_t *place)
{
    size_t  i;

    if (seen->n * 2 >= seen->size && stress_places_grow(seen) == -1) {
        return -1;
    }

    i = stress_places_hash(place) & (seen->size - 1);

    while (seen->used[i]) {
        if (memcmp(&seen->places[i], place, sizeof(stress_place_t)) == 0) {
            return 0;
        }

        i = (i + 1) & (seen->size - 1);
    }

    seen->used[i] = 1;
    seen->places[i] = *place;
    seen->n++;

    return 1;
}


static int
stress_places_grow(stress_places_t *seen)
{
    size_t           i;
    stress_places_t  next;

    if (seen->n >= STRESS_PLACES) {
        return -1;
    }

    next.n = 0;
    next.size = seen->size ? seen->size * 4 : 256;
    next.places = malloc(next.size * sizeof(stress_place_t));
    next.used = calloc(next.size, 1);

    if (next.places == NULL || next.used == NULL) {
        free(next.places);
        free(next.used);
        return -1;
    }

    for (i = 0; i < seen->size; i++) {
        if (seen->used[i]) {
            stress_places_add(&next, &seen->places[i]);
        }
    }

    free(seen->places);
    free(seen->used);
    *seen = next;

    return 0;
}


static uint64_t
stress_places_hash(const stress_place_t *place)
{
    uint64_t  hash;
    unsigned  i;

    hash = place->value;

    for (i = 0; i < STRESS_WORDS; i++) {
        hash = (hash ^ place->done[i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }

    return hash;
}
