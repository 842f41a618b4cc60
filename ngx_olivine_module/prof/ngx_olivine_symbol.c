
/*
 * Copyright (C) The Olivine authors
 *
 * What is loaded is what the dynamic linker says, not /proc/self/maps.  Files
 * are opened by their paths, the program itself as /proc/self/exe, and count
 * only if their build id is that of the memory: a file may have been replaced
 * since.  Nothing is ever fetched from a network: libdwfl's own search for
 * debug information would.
 *
 * Bounds: what was found is kept for up to NGX_OLIVINE_SYMBOL_CACHE addresses;
 * debug information of more than NGX_OLIVINE_SYMBOL_FILE bytes is left alone;
 * once look-ups have taken NGX_OLIVINE_SYMBOL_TIME, further ones look at ELF
 * symbols only.
 */


#include "prof/ngx_olivine_symbol.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <sys/auxv.h>


#define NGX_OLIVINE_SYMBOL_CACHE    (128 * 1024)
#define NGX_OLIVINE_SYMBOL_FILE     (1024 * 1024 * 1024LL)
#define NGX_OLIVINE_SYMBOL_TIME     5000000000ULL      /* ns of CPU */

#define NGX_OLIVINE_SYMBOL_BUCKETS  4096
#define NGX_OLIVINE_SYMBOL_MODULES  512
#define NGX_OLIVINE_SYMBOL_PATH     1024
#define NGX_OLIVINE_SYMBOL_ID       64

/* a symbol without a size names what is so near behind it */
#define NGX_OLIVINE_SYMBOL_NEAR     4096


typedef struct {
    uintptr_t                     start;
    uintptr_t                     end;
    uintptr_t                     bias;
    size_t                        id_len;
    u_char                        id[NGX_OLIVINE_SYMBOL_ID];
    char                          path[NGX_OLIVINE_SYMBOL_PATH];
    char                         *name;         /* the end of the path */
    unsigned                      self:1;       /* the program */
    unsigned                      vdso:1;
} ngx_olivine_symbol_module_t;


typedef struct ngx_olivine_symbol_s  ngx_olivine_symbol_t;

struct ngx_olivine_symbol_s {
    ngx_olivine_symbol_t         *next;
    uintptr_t                     address;
    ngx_uint_t                    n;
    ngx_olivine_profile_frame_t   frames[];
};


struct ngx_olivine_symbols_s {
    Dwfl                         *dwfl;
    ngx_uint_t                    nmodules;
    ngx_olivine_symbol_module_t  *modules[NGX_OLIVINE_SYMBOL_MODULES];
    ngx_uint_t                    n;
    uint64_t                      spent;
    ngx_olivine_symbol_t         *buckets[NGX_OLIVINE_SYMBOL_BUCKETS];
};


static int ngx_olivine_symbol_loaded(struct dl_phdr_info *info, size_t size,
    void *data);
static void ngx_olivine_symbol_build_id(ngx_olivine_symbol_module_t *m,
    const u_char *p, size_t len);
static int ngx_olivine_symbol_elf(Dwfl_Module *mod, void **data,
    const char *name, Dwarf_Addr base, char **file, Elf **elf);
static int ngx_olivine_symbol_debug(Dwfl_Module *mod, void **data,
    const char *name, Dwarf_Addr base, const char *file, const char *link,
    GElf_Word crc, char **found);
static ngx_uint_t ngx_olivine_symbol_look(ngx_olivine_symbols_t *symbols,
    uintptr_t address, ngx_olivine_profile_frame_t *frames, char *text);
static ngx_uint_t ngx_olivine_symbol_dwarf(Dwfl_Module *mod,
    uintptr_t address, ngx_olivine_profile_frame_t *frames);
static ngx_uint_t ngx_olivine_symbol_inner(Dwarf_Die *outer, Dwarf_Addr pc,
    Dwarf_Die *inner);
static void ngx_olivine_symbol_line(Dwfl_Module *mod, uintptr_t address,
    ngx_olivine_profile_frame_t *frame);
static void ngx_olivine_symbol_call(Dwarf_Die *cu, Dwarf_Die *die,
    ngx_olivine_profile_frame_t *frame);
static void ngx_olivine_symbol_text(ngx_str_t *to, const char *text);
static uint64_t ngx_olivine_symbol_clock(void);


static const Dwfl_Callbacks  ngx_olivine_symbol_callbacks = {
    .find_elf = ngx_olivine_symbol_elf,
    .find_debuginfo = ngx_olivine_symbol_debug
};


ngx_olivine_symbols_t *
ngx_olivine_symbols_create(void)
{
    void                         **data;
    ngx_uint_t                     i;
    Dwfl_Module                   *mod;
    ngx_olivine_symbols_t         *symbols;
    ngx_olivine_symbol_module_t   *m;

    (void) elf_version(EV_CURRENT);

    symbols = calloc(1, sizeof(ngx_olivine_symbols_t));
    if (symbols == NULL) {
        return NULL;
    }

    symbols->dwfl = dwfl_begin(&ngx_olivine_symbol_callbacks);

    if (symbols->dwfl == NULL
        || dl_iterate_phdr(ngx_olivine_symbol_loaded, symbols) != 0)
    {
        ngx_olivine_symbols_destroy(symbols);
        return NULL;
    }

    dwfl_report_begin(symbols->dwfl);

    for (i = 0; i < symbols->nmodules; i++) {
        m = symbols->modules[i];
        mod = dwfl_report_module(symbols->dwfl, m->name, m->start, m->end);

        if (mod) {
            (void) dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL,
                                    NULL);
            *data = m;
        }
    }

    (void) dwfl_report_end(symbols->dwfl, NULL, NULL);

    return symbols;
}


void
ngx_olivine_symbols_destroy(ngx_olivine_symbols_t *symbols)
{
    ngx_uint_t             i;
    ngx_olivine_symbol_t  *symbol;

    if (symbols->dwfl) {
        dwfl_end(symbols->dwfl);
    }

    for (i = 0; i < symbols->nmodules; i++) {
        free(symbols->modules[i]);
    }

    for (i = 0; i < NGX_OLIVINE_SYMBOL_BUCKETS; i++) {
        while (symbols->buckets[i]) {
            symbol = symbols->buckets[i];
            symbols->buckets[i] = symbol->next;
            free(symbol);
        }
    }

    free(symbols);
}


struct Dwfl *
ngx_olivine_symbols_dwfl(ngx_olivine_symbols_t *symbols)
{
    return symbols->dwfl;
}


ngx_uint_t
ngx_olivine_symbols_find(ngx_olivine_symbols_t *symbols, uintptr_t address,
    ngx_olivine_profile_frame_t *frames, ngx_uint_t max)
{
    char                           text[NGX_OLIVINE_SYMBOL_PATH + 32];
    size_t                         size, len;
    uint64_t                       start;
    ngx_uint_t                     n;
    ngx_olivine_symbol_t          *symbol, **bucket;
    ngx_olivine_profile_frame_t    found[NGX_OLIVINE_SYMBOL_INLINED];

    bucket = &symbols->buckets[(address ^ address >> 12)
                               % NGX_OLIVINE_SYMBOL_BUCKETS];

    for (symbol = *bucket; symbol; symbol = symbol->next) {
        if (symbol->address == address) {
            goto found;
        }
    }

    ngx_memzero(found, sizeof(found));
    symbol = NULL;
    n = 0;

    if (symbols->n < NGX_OLIVINE_SYMBOL_CACHE) {
        start = ngx_olivine_symbol_clock();
        n = ngx_olivine_symbol_look(symbols, address, found, text);
        symbols->spent += ngx_olivine_symbol_clock() - start;

        /* a made name goes behind the frames */

        len = (found[0].function.data == (u_char *) text)
              ? found[0].function.len : 0;
        size = n * sizeof(ngx_olivine_profile_frame_t);

        symbol = malloc(sizeof(ngx_olivine_symbol_t) + size + len + 1);
    }

    if (symbol == NULL) {
        ngx_memzero(frames, sizeof(ngx_olivine_profile_frame_t));
        ngx_str_set(&frames[0].function, "[unknown]");
        return 1;
    }

    if (len) {
        ngx_memcpy((u_char *) symbol->frames + size, text, len);
        found[0].function.data = (u_char *) symbol->frames + size;
    }

    ngx_memcpy(symbol->frames, found, size);
    symbol->address = address;
    symbol->n = n;
    symbol->next = *bucket;
    *bucket = symbol;
    symbols->n++;

found:

    n = ngx_min(symbol->n, max);
    ngx_memcpy(frames, symbol->frames,
               n * sizeof(ngx_olivine_profile_frame_t));

    return n;
}


static int
ngx_olivine_symbol_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
    ngx_olivine_symbols_t *symbols = data;

    ssize_t                       n;
    uintptr_t                     start, end;
    ngx_uint_t                    i;
    const ElfW(Phdr)             *ph;
    ngx_olivine_symbol_module_t  *m;

    if (symbols->nmodules == NGX_OLIVINE_SYMBOL_MODULES) {
        return 0;
    }

    m = calloc(1, sizeof(ngx_olivine_symbol_module_t));
    if (m == NULL) {
        return -1;
    }

    m->bias = info->dlpi_addr;
    m->vdso = (getauxval(AT_SYSINFO_EHDR) == info->dlpi_addr
               && info->dlpi_addr != 0);
    m->self = (symbols->nmodules == 0);

    for (i = 0; i < info->dlpi_phnum; i++) {
        ph = &info->dlpi_phdr[i];
        start = info->dlpi_addr + ph->p_vaddr;

        if (ph->p_type == PT_NOTE) {
            ngx_olivine_symbol_build_id(m, (u_char *) start, ph->p_memsz);
        }

        if (ph->p_type != PT_LOAD || ph->p_memsz == 0) {
            continue;
        }

        end = ngx_align(start + ph->p_memsz, (uintptr_t) 4096);

        if (m->end == 0) {
            m->start = ph->p_align > 1 ? start & -(uintptr_t) ph->p_align
                                       : start;
        }

        m->end = ngx_max(m->end, end);
    }

    if (m->end == 0) {
        free(m);
        return 0;
    }

    if (m->self) {
        n = readlink("/proc/self/exe", m->path, sizeof(m->path) - 1);
        m->path[n > 0 ? n : 0] = '\0';

    } else {
        (void) ngx_cpystrn((u_char *) m->path, (u_char *) info->dlpi_name,
                           sizeof(m->path));
    }

    m->name = strrchr(m->path, '/');
    m->name = m->name ? m->name + 1 : m->path;

    symbols->modules[symbols->nmodules++] = m;

    return 0;
}


static void
ngx_olivine_symbol_build_id(ngx_olivine_symbol_module_t *m, const u_char *p,
    size_t len)
{
    size_t       name, desc;
    ElfW(Nhdr)   note;

    while (len >= sizeof(note)) {
        ngx_memcpy(&note, p, sizeof(note));

        name = ngx_align((size_t) note.n_namesz, 4);
        desc = ngx_align((size_t) note.n_descsz, 4);

        if (name + desc > len - sizeof(note)) {
            return;
        }

        if (note.n_type == NT_GNU_BUILD_ID
            && note.n_namesz == sizeof("GNU")
            && note.n_descsz <= NGX_OLIVINE_SYMBOL_ID
            && ngx_memcmp(p + sizeof(note), "GNU", sizeof("GNU")) == 0)
        {
            m->id_len = note.n_descsz;
            ngx_memcpy(m->id, p + sizeof(note) + name, m->id_len);
            return;
        }

        p += sizeof(note) + name + desc;
        len -= sizeof(note) + name + desc;
    }
}


static int
ngx_olivine_symbol_elf(Dwfl_Module *mod, void **data, const char *name,
    Dwarf_Addr base, char **file, Elf **elf)
{
    ngx_olivine_symbol_module_t *m = *data;

    int          fd;
    ssize_t      len;
    const void  *id;

    if (m->vdso) {
        *elf = elf_memory((char *) m->start, m->end - m->start);
        return -1;
    }

    fd = open(m->self ? "/proc/self/exe" : m->path, O_RDONLY|O_CLOEXEC);

    if (fd == -1) {
        return -1;
    }

    *elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);

    if (*elf && m->id_len) {
        len = dwelf_elf_gnu_build_id(*elf, &id);

        if (len != (ssize_t) m->id_len || ngx_memcmp(id, m->id, len) != 0) {
            (void) elf_end(*elf);
            *elf = NULL;
        }
    }

    if (*elf) {
        *file = strdup(m->path);
    }

    if (*elf == NULL || *file == NULL) {
        if (*elf) {
            (void) elf_end(*elf);
            *elf = NULL;
        }

        (void) close(fd);
        return -1;
    }

    return fd;
}


static int
ngx_olivine_symbol_debug(Dwfl_Module *mod, void **data, const char *name,
    Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
    char **found)
{
    ngx_olivine_symbol_module_t *m = *data;

    int          fd;
    u_char       path[NGX_OLIVINE_SYMBOL_ID * 2 + 64], *p;
    struct stat  st;

    if (m->id_len < 2) {
        return -1;
    }

    p = ngx_sprintf(path, "/usr/lib/debug/.build-id/%02xd/", m->id[0]);
    p = ngx_hex_dump(p, m->id + 1, m->id_len - 1);
    (void) ngx_sprintf(p, ".debug%Z");

    fd = open((char *) path, O_RDONLY|O_CLOEXEC);

    if (fd == -1) {
        return -1;
    }

    if (fstat(fd, &st) == 0 && st.st_size <= NGX_OLIVINE_SYMBOL_FILE) {
        *found = strdup((char *) path);

        if (*found) {
            return fd;
        }
    }

    (void) close(fd);

    return -1;
}


static ngx_uint_t
ngx_olivine_symbol_look(ngx_olivine_symbols_t *symbols, uintptr_t address,
    ngx_olivine_profile_frame_t *frames, char *text)
{
    void                        **data;
    u_char                       *last;
    GElf_Sym                      sym;
    GElf_Off                      offset;
    ngx_uint_t                    n;
    const char                   *name;
    Dwfl_Module                  *mod;
    ngx_olivine_symbol_module_t  *m;

    mod = dwfl_addrmodule(symbols->dwfl, address);

    if (mod) {
        (void) dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL,
                                NULL);
        m = *data;

    } else {
        m = NULL;
    }

    /* libdwfl takes what is beyond the last module for a part of it */

    if (m == NULL || address < m->start || address >= m->end) {
        ngx_str_set(&frames[0].function, "[unknown]");
        return 1;
    }

    if (symbols->spent < NGX_OLIVINE_SYMBOL_TIME) {
        n = ngx_olivine_symbol_dwarf(mod, address, frames);
        if (n) {
            return n;
        }
    }

    name = dwfl_module_addrinfo(mod, address, &offset, &sym, NULL, NULL,
                                NULL);

    if (name && *name
        && offset < (sym.st_size ? sym.st_size : NGX_OLIVINE_SYMBOL_NEAR))
    {
        ngx_olivine_symbol_text(&frames[0].function, name);
        return 1;
    }

    last = ngx_snprintf((u_char *) text, NGX_OLIVINE_SYMBOL_PATH + 31,
                        "%s+0x%xL", *m->name ? m->name : "[unknown]",
                        (int64_t) (address - m->bias));

    frames[0].function.data = (u_char *) text;
    frames[0].function.len = last - (u_char *) text;

    return 1;
}


/* 0 if there is no function with debug information. */

static ngx_uint_t
ngx_olivine_symbol_dwarf(Dwfl_Module *mod, uintptr_t address,
    ngx_olivine_profile_frame_t *frames)
{
    ngx_uint_t   i, n;
    Dwarf_Die   *cu, chain[NGX_OLIVINE_SYMBOL_INLINED], die;
    Dwarf_Addr   bias, pc;
    const char  *name;

    cu = dwfl_module_addrdie(mod, address, &bias);

    if (cu == NULL) {
        return 0;
    }

    pc = address - bias;
    die = *cu;
    n = 0;

    while (ngx_olivine_symbol_inner(&die, pc, &die)) {

        switch (dwarf_tag(&die)) {

        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:

            if (n == NGX_OLIVINE_SYMBOL_INLINED) {
                return 0;
            }

            chain[n++] = die;
            break;

        default:
            break;
        }
    }

    for (i = 0; i < n; i++) {
        name = dwarf_diename(&chain[n - 1 - i]);

        if (name == NULL || *name == '\0') {
            return 0;
        }

        ngx_olivine_symbol_text(&frames[i].function, name);

        if (i == 0) {
            ngx_olivine_symbol_line(mod, address, &frames[0]);

        } else {
            ngx_olivine_symbol_call(cu, &chain[n - i], &frames[i]);
        }
    }

    return n;
}


/* The child that has the address; 1 if there is one. */

static ngx_uint_t
ngx_olivine_symbol_inner(Dwarf_Die *outer, Dwarf_Addr pc, Dwarf_Die *inner)
{
    Dwarf_Die  die;

    if (dwarf_child(outer, &die) != 0) {
        return 0;
    }

    do {
        switch (dwarf_tag(&die)) {

        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_lexical_block:

            if (dwarf_haspc(&die, pc) == 1) {
                *inner = die;
                return 1;
            }

            break;

        default:
            break;
        }

    } while (dwarf_siblingof(&die, &die) == 0);

    return 0;
}


static void
ngx_olivine_symbol_line(Dwfl_Module *mod, uintptr_t address,
    ngx_olivine_profile_frame_t *frame)
{
    int          n;
    Dwfl_Line   *line;
    const char  *file;

    line = dwfl_module_getsrc(mod, address);
    file = line ? dwfl_lineinfo(line, NULL, &n, NULL, NULL, NULL) : NULL;

    if (file) {
        ngx_olivine_symbol_text(&frame->file, file);
        frame->line = ngx_max(n, 0);
    }
}


/* Where what was inlined is called. */

static void
ngx_olivine_symbol_call(Dwarf_Die *cu, Dwarf_Die *die,
    ngx_olivine_profile_frame_t *frame)
{
    size_t            n;
    Dwarf_Word        number, line;
    const char       *file;
    Dwarf_Files      *files;
    Dwarf_Attribute   attr;

    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &number) != 0
        || dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) != 0
        || dwarf_getsrcfiles(cu, &files, &n) != 0
        || number >= n)
    {
        return;
    }

    file = dwarf_filesrc(files, number, NULL, NULL);

    if (file) {
        ngx_olivine_symbol_text(&frame->file, file);
        frame->line = line;
    }
}


static void
ngx_olivine_symbol_text(ngx_str_t *to, const char *text)
{
    to->data = (u_char *) text;
    to->len = ngx_strlen(text);
}


static uint64_t
ngx_olivine_symbol_clock(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}
