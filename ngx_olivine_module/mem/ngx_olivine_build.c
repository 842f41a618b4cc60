
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_build.h"
#include "base/ngx_olivine_xxh3.h"

#include <elf.h>
#include <link.h>


static int ngx_olivine_build_object(struct dl_phdr_info *info, size_t size,
    void *data);
static void ngx_olivine_build_note(ngx_olivine_code_t *code, u_char *p,
    u_char *last);
static void ngx_olivine_build_path(ngx_olivine_code_t *code,
    const char *name);


ngx_int_t
ngx_olivine_build_self(ngx_olivine_code_t *code)
{
    uint64_t  digest;

    ngx_memzero(code, sizeof(ngx_olivine_code_t));

    if (dl_iterate_phdr(ngx_olivine_build_object, code) != 1) {
        return NGX_ERROR;
    }

    if (code->len == 0) {
        digest = ngx_olivine_xxh3((u_char *) code->text,
                                  code->end - code->text);
        ngx_memcpy(code->id, &digest, sizeof(digest));
        code->len = sizeof(digest);
    }

    return NGX_OK;
}


/* 1: it is the object that this function is in, and is described. */

static int
ngx_olivine_build_object(struct dl_phdr_info *info, size_t size, void *data)
{
    ngx_olivine_code_t *code = data;

    u_char            *p;
    uintptr_t          self, from;
    ngx_uint_t         i;
    const ElfW(Phdr)  *ph;

    self = (uintptr_t) &ngx_olivine_build_object;

    for (i = 0; i < info->dlpi_phnum; i++) {
        ph = &info->dlpi_phdr[i];
        from = info->dlpi_addr + ph->p_vaddr;

        if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X)
            && self >= from && self - from < ph->p_memsz)
        {
            code->base = info->dlpi_addr;
            code->text = from;
            code->end = from + ph->p_memsz;
            break;
        }
    }

    if (i == info->dlpi_phnum) {
        return 0;
    }

    for (i = 0; i < info->dlpi_phnum; i++) {
        ph = &info->dlpi_phdr[i];

        if (ph->p_type == PT_NOTE) {
            p = (u_char *) (uintptr_t) (info->dlpi_addr + ph->p_vaddr);
            ngx_olivine_build_note(code, p, p + ph->p_memsz);
        }
    }

    ngx_olivine_build_path(code, info->dlpi_name);

    return 1;
}


static void
ngx_olivine_build_note(ngx_olivine_code_t *code, u_char *p, u_char *last)
{
    size_t             name;
    const ElfW(Nhdr)  *nh;

    while ((size_t) (last - p) >= sizeof(ElfW(Nhdr))) {

        nh = (ElfW(Nhdr) *) p;
        p += sizeof(ElfW(Nhdr));
        name = ngx_align((size_t) nh->n_namesz, 4);

        if (name > (size_t) (last - p)
            || nh->n_descsz > (size_t) (last - p) - name)
        {
            return;
        }

        if (nh->n_type == NT_GNU_BUILD_ID && nh->n_namesz == 4
            && ngx_memcmp(p, "GNU", 4) == 0 && nh->n_descsz)
        {
            code->len = ngx_min(nh->n_descsz, NGX_OLIVINE_BUILD_ID);
            ngx_memcpy(code->id, p + name, code->len);
            return;
        }

        name += ngx_align((size_t) nh->n_descsz, 4);
        p += ngx_min(name, (size_t) (last - p));
    }
}


static void
ngx_olivine_build_path(ngx_olivine_code_t *code, const char *name)
{
    ssize_t  n;

    if (name[0]) {
        (void) ngx_cpystrn(code->path, (u_char *) name, sizeof(code->path));
        return;
    }

    n = readlink("/proc/self/exe", (char *) code->path,
                 sizeof(code->path) - 1);

    code->path[ngx_max(n, 0)] = '\0';
}


ngx_uint_t
ngx_olivine_build_number(ngx_olivine_build_t *builds,
    ngx_olivine_code_t *code, ngx_uint_t enter)
{
    uint64_t              key, found;
    ngx_uint_t            i;
    ngx_olivine_build_t  *build;

    key = ngx_olivine_xxh3(code->id, code->len);
    key |= (key == 0);

    for (i = 0; i < NGX_OLIVINE_BUILDS; i++) {
        build = &builds[i];

        found = __atomic_load_n(&build->key, __ATOMIC_ACQUIRE);

        if (found == 0
            && (!enter
                || __atomic_compare_exchange_n(&build->key, &found, key, 0,
                                               __ATOMIC_ACQ_REL,
                                               __ATOMIC_ACQUIRE)))
        {
            if (!enter) {
                return 0;
            }

            found = key;
        }

        if (found != key) {
            continue;
        }

        /* whoever comes writes the same: the first may have died before it */

        if (enter && build->path[0] == '\0') {
            ngx_memcpy(build->id, code->id, NGX_OLIVINE_BUILD_ID);
            build->len = code->len;
            ngx_memcpy(build->path, code->path, NGX_OLIVINE_BUILD_PATH);
        }

        return i + 1;
    }

    return 0;
}
