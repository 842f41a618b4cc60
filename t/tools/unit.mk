# Builds tests, one binary each: t/unit/test_<name>.c, t/fuzz/fuzz_<name>.c,
# t/tools/docs.c, and PROGRAM.  Called by t/tools/unit, fuzz, docs and program.
# A test is linked with its layer and those below, so one that reaches above
# fails to link.

# O: where all of this goes;  N, S: nginx's source, its objects;
# TESTS: what to build;  PROGRAM: the source of one;
# MAIN: an object with main(), if the tests have none

SAN  =
OPT  = -O1
MAIN =
LINK =
LIBS = -lcmocka

CC = gcc
T  = t/tools

INCS = -I$(N)/src/core -I$(N)/src/event -I$(N)/src/event/modules \
       -I$(N)/src/os/unix -I$(N)/src/stream -I$(N)/src/http \
       -I$(N)/src/http/modules -I$(S) -Ingx_olivine_module -I. -It/unit -I$(O)

CFLAGS = -pipe -W -Wall -Wpointer-arith -Wno-unused-parameter -Werror -g \
         $(OPT) -fno-omit-frame-pointer $(SAN) -DNGX_OLIVINE_TEST $(INCS)

LAYERS := $(shell $(T)/layers --all)

sources = $(wildcard $(if $(filter standalone,$(1)),standalone, \
                          ngx_olivine_module/$(1))/*.c)
objects = $(patsubst %.c,$(O)/obj/%.o,$(call sources,$(1)))
archive = $(O)/lib/$(1).a

# A test's layer: said near its top, or that of the source it is named after.
layer = $(or \
    $(shell sed -n '1,20s,^/\* layer: *\([a-z]*\) \*/$$,\1,p' $(1)), \
    $(notdir $(patsubst %/,%,$(dir $(firstword $(wildcard \
        ngx_olivine_module/*/ngx_olivine_$(2).c \
        standalone/ngx_olivine_$(2).c))))))

all: $(addprefix $(O)/,$(TESTS))

$(O)/obj/%.o: %.c t/tools/unit.mk $(S)/ngx_auto_config.h
	@mkdir -p $(dir $@)
	@$(CC) -c $(CFLAGS) -MMD -MP -o $@ $<

# the status page, as nginx's build makes it by config.make
PAGE = ngx_olivine_module/http/page

$(O)/olivine_page.h: $(wildcard $(PAGE)/*)
	@$(PAGE)/embed >$@.new
	@mv $@.new $@

$(O)/obj/ngx_olivine_module/http/ngx_http_olivine_status.o: $(O)/olivine_page.h

# Of nginx's objects only what is needed is pulled in; our own part of them
# is not there, and main() has made way for the tests'.

NGX_OBJS := $(filter-out $(S)/src/core/nginx.o, \
                         $(shell find $(S)/src -name '*.o' 2>/dev/null))

$(O)/lib/nginx.a: $(NGX_OBJS) $(S)/src/core/nginx.o $(S)/ngx_modules.c
	@mkdir -p $(O)/lib
	@rm -f $@
	@grep -v olivine $(S)/ngx_modules.c >$(O)/lib/ngx_modules.c
	@$(CC) -c $(CFLAGS) -o $(O)/lib/ngx_modules.o $(O)/lib/ngx_modules.c
	@objcopy --redefine-sym main=ngx_main $(S)/src/core/nginx.o \
	    $(O)/lib/nginx.o
	@ar rcs $@ $(NGX_OBJS) $(O)/lib/nginx.o $(O)/lib/ngx_modules.o

# nginx was linked with these
NGX_LIBS := $(shell sed -n 's/^[[:space:]]*\(-[lW].*-l.*\)$$/\1/p' \
                    $(S)/Makefile 2>/dev/null \
              | tr -d '\\\\' | sed 's/-Wl,--wrap=[a-z_]*//g')

define ARCHIVE
$(call archive,$(1)): $(call objects,$(1))
	@mkdir -p $(O)/lib
	@rm -f $$@
	@ar rcs $$@ $(call objects,$(1))
endef

$(foreach l,$(LAYERS),$(eval $(call ARCHIVE,$(l))))

# $(1) name, $(2) source, $(3) what it is named after
define TEST
LAYER_$(1) := $$(call layer,$(2),$(3))
BELOW_$(1) := $$(foreach l,$$(if $$(LAYER_$(1)), \
    $$(shell $(T)/layers --below $$(LAYER_$(1)))),$$(call archive,$$(l)))

$(O)/$(1): $(O)/obj/$(basename $(2)).o $(MAIN) $$(BELOW_$(1)) $(O)/lib/nginx.a
	$$(if $$(LAYER_$(1)),,$$(error $(2): say /* layer: NAME */ near its top))
	@$(CC) $(SAN) $(LINK) -o $$@ $$< $(MAIN) -Wl,--start-group \
	    $$(BELOW_$(1)) $(O)/lib/nginx.a -Wl,--end-group \
	    $(NGX_LIBS) $(LIBS) -lm
endef

$(foreach t,$(filter test_%,$(TESTS)), \
    $(eval $(call TEST,$(t),t/unit/$(t).c,$(t:test_%=%))))

$(foreach t,$(filter fuzz_%,$(TESTS)), \
    $(eval $(call TEST,$(t),t/fuzz/$(t).c,$(t:fuzz_%=%))))

$(foreach t,$(filter docs,$(TESTS)), \
    $(eval $(call TEST,$(t),t/tools/$(t).c,$(t))))

$(foreach t,$(PROGRAM), \
    $(eval $(call TEST,$(basename $(notdir $(t))),$(t),$(basename $(t)))))

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)

.PHONY: all
.SECONDARY:
