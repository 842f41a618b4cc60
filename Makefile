
# make help lists the targets.  All that is made lies under build/.

NGINX_SRC    =
PREFIX       = /usr/local
DESTDIR      =
FUZZ_SECONDS = 20
BENCH        = full

export NGINX_SRC FUZZ_SECONDS PEERS

B = build
T = t/tools

PORT = 16379

all: olivine module

olivine:
	@$(T)/build standalone

module:
	@$(T)/build module

run:
	@$(T)/deps build
	@$(MAKE) --no-print-directory olivine
	$(B)/olivine --port $(PORT) $(ARGS)

test:
	@$(T)/deps test
	@$(T)/clients
	@$(T)/deps browser || echo '*** no browser: the test of the page is left out'
	@$(T)/test

unit:
	@$(T)/unit plain

asan:
	@$(T)/unit asan
	@$(T)/build asan
	@ASAN_OPTIONS=detect_leaks=0 \
	    OLIVINE_HOST=standalone OLIVINE_BINARY=$(B)/olivine-asan \
	    OLIVINE_WORKERS=1 $(T)/suite t/command

fuzz:
	@$(T)/deps build
	@$(T)/fuzz run

soak: all
	@$(T)/soak

bench: all
	@$(T)/deps bench
	@t/bench/bench $(BENCH)

profile:
	@$(T)/deps build
	@$(MAKE) --no-print-directory olivine
	@$(T)/profile $(if $(BASE),--base $(BASE)) $(if $(ARGS),-- $(ARGS))

compat: all
	@$(T)/deps test
	@t/compat/run --update

layers:
	@$(T)/layers --self-test
	@$(T)/layers

docs:
	@$(T)/docs

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/nginx/modules
	install -m 755 $(B)/olivine $(DESTDIR)$(PREFIX)/bin/olivine
	install -m 644 $(B)/ngx_olivine_module.so \
	    $(DESTDIR)$(PREFIX)/lib/nginx/modules/ngx_olivine_module.so
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,@PREFIX@,$(PREFIX),' packaging/olivine.service \
	    >$(DESTDIR)$(PREFIX)/lib/systemd/system/olivine.service
	chmod 644 $(DESTDIR)$(PREFIX)/lib/systemd/system/olivine.service

clean:
	rm -rf $(B)

help:
	@echo 'make          build/olivine and build/ngx_olivine_module.so'
	@echo 'make run      the server on port $(PORT); ARGS="--name value ..."'
	@echo 'make test     everything that is checked, in under ten minutes'
	@echo 'make unit     unit tests;  make asan: the same with sanitizers'
	@echo 'make fuzz     fuzz targets, FUZZ_SECONDS=$(FUZZ_SECONDS) each'
	@echo 'make soak     a million commands beside redis-server; workers killed'
	@echo 'make bench    beside peers that are found (PEERS=dir, BENCH=quick)'
	@echo 'make profile  under redis-benchmark ARGS="-t SET -P 16 ..."; BASE=dir compares'
	@echo 'make compat   a public suite of tests; writes docs/compatibility.md'
	@echo 'make layers   no include climbs the layers'
	@echo 'make docs     pages of commands, metrics and parameters, from tables'
	@echo 'make install  PREFIX=$(PREFIX) DESTDIR='
	@echo 'make clean    removes build/'
	@echo
	@echo 'NGINX_SRC=dir builds both hosts against another nginx tree.'

.PHONY: all olivine module run test unit asan fuzz soak bench profile compat \
        layers docs install clean help
