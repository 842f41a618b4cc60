
/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include "prof/ngx_olivine_symbol.h"

#include <dlfcn.h>
#include <sys/auxv.h>


static ngx_uint_t  sum;


static inline uintptr_t __attribute__((always_inline))
inlined(ngx_uint_t n)
{
    uintptr_t  here;

    here = n;

#if (defined(__x86_64__))
    __asm__ volatile ("leaq 0(%%rip), %0; nop" : "=r" (here));
#elif (defined(__aarch64__))
    __asm__ volatile ("adr %0, ." : "=r" (here));
#endif

    return here;
}


static uintptr_t __attribute__((noinline, used))
outer(ngx_uint_t n)
{
    uintptr_t  here;

    here = inlined(n);
    sum += here;

    return here;
}


static ngx_uint_t
find(ngx_olivine_symbols_t *symbols, uintptr_t address,
    ngx_olivine_profile_frame_t *frames)
{
    return ngx_olivine_symbols_find(symbols, address, frames, 8);
}


static void
starts(ngx_str_t *s, const char *text)
{
    assert_true(s->len >= strlen(text));
    assert_memory_equal(s->data, text, strlen(text));
}


static void
ends(ngx_str_t *s, const char *text)
{
    assert_true(s->len >= strlen(text));
    assert_memory_equal(s->data + s->len - strlen(text), text, strlen(text));
}


static void
test_symbol_names_a_function_its_file_and_line(void **state)
{
    ngx_uint_t                    n;
    ngx_olivine_symbols_t        *symbols;
    ngx_olivine_profile_frame_t   frames[8];

    symbols = ngx_olivine_symbols_create();
    assert_non_null(symbols);

    n = find(symbols, (uintptr_t) ends, frames);
    assert_int_equal(n, 1);
    assert_int_equal(frames[0].function.len, 4);
    starts(&frames[0].function, "ends");
    ends(&frames[0].file, "test_symbol.c");
    assert_true(frames[0].line > 60 && frames[0].line < 80);

    ngx_olivine_symbols_destroy(symbols);
}


static void
test_symbol_tells_inlined_functions(void **state)
{
    uintptr_t                     address;
    ngx_uint_t                    n;
    ngx_olivine_symbols_t        *symbols;
    ngx_olivine_profile_frame_t   frames[8], again[8];

    symbols = ngx_olivine_symbols_create();
    address = outer(1);

    n = find(symbols, address, frames);
    assert_int_equal(n, 2);
    starts(&frames[0].function, "inlined");
    starts(&frames[1].function, "outer");
    ends(&frames[1].file, "test_symbol.c");
    assert_true(frames[0].line < frames[1].line);
    assert_true(frames[1].line > 35 && frames[1].line < 55);

    /* it is the same when asked again, and cut where there is no room */

    assert_int_equal(find(symbols, address, again), 2);
    assert_ptr_equal(again[1].function.data, frames[1].function.data);
    assert_int_equal(ngx_olivine_symbols_find(symbols, address, again, 1), 1);

    ngx_olivine_symbols_destroy(symbols);
}


/* qsort() may be of another name inside, and libc without debug information */

static void
test_symbol_finds_functions_of_libraries(void **state)
{
    ngx_olivine_symbols_t        *symbols;
    ngx_olivine_profile_frame_t   frames[8];

    symbols = ngx_olivine_symbols_create();

    assert_true(find(symbols, (uintptr_t) dlsym(RTLD_DEFAULT, "qsort_r"), frames)
                >= 1);
    assert_true(strstr((char *) frames[0].function.data, "qsort") != NULL);

    ngx_olivine_symbols_destroy(symbols);
}


static void
test_symbol_finds_the_kernels_own(void **state)
{
    uintptr_t                     vdso;
    ngx_olivine_symbols_t        *symbols;
    ngx_olivine_profile_frame_t   frames[8];

    vdso = getauxval(AT_SYSINFO_EHDR);

    if (vdso == 0) {
        skip();
    }

    symbols = ngx_olivine_symbols_create();

    assert_int_equal(find(symbols, vdso, frames), 1);
    starts(&frames[0].function, "linux-vdso.so.1+0x0");

    ngx_olivine_symbols_destroy(symbols);
}


static void
test_symbol_of_nothing_has_a_name(void **state)
{
    ngx_olivine_symbols_t        *symbols;
    ngx_olivine_profile_frame_t   frames[8];

    symbols = ngx_olivine_symbols_create();

    assert_int_equal(find(symbols, 1, frames), 1);
    starts(&frames[0].function, "[unknown]");
    assert_int_equal(frames[0].file.len, 0);
    assert_int_equal(find(symbols, (uintptr_t) -1, frames), 1);
    starts(&frames[0].function, "[unknown]");

    ngx_olivine_symbols_destroy(symbols);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_symbol_names_a_function_its_file_and_line),
        cmocka_unit_test(test_symbol_tells_inlined_functions),
        cmocka_unit_test(test_symbol_finds_functions_of_libraries),
        cmocka_unit_test(test_symbol_finds_the_kernels_own),
        cmocka_unit_test(test_symbol_of_nothing_has_a_name),
    };

    return unit_run(tests);
}
