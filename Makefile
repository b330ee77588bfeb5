# SPDX-License-Identifier: GPL-2.0
#
# Fairway's front door. "make" alone says what there is.

BUILD	?= build
OUT	?= out
KSRC	?= /usr/src/linux-source-6.12.tar.xz
JOBS	?= $(shell nproc)

# Make splits at blanks, and so do the kernel's own makefiles.
ifneq ($(words $(CURDIR)) $(words $(BUILD)) $(words $(OUT)) $(words $(KSRC)),1 1 1 1)
$(error BUILD, OUT, KSRC and the path of this folder each have to be one word: \
	'$(BUILD)', '$(OUT)', '$(KSRC)', '$(CURDIR)')
endif

ifeq ($(wildcard base/locked),)
$(error Run make in the folder of this Makefile: make -C $(dir $(firstword $(MAKEFILE_LIST))))
endif

# What the scripts get: absolute, so that each may run anywhere.
override BUILD	:= $(abspath $(BUILD))
override OUT	:= $(abspath $(OUT))
override KSRC	:= $(abspath $(KSRC))
export BUILD OUT KSRC KCC

TREE	:= $(BUILD)/tree
LAB	:= $(BUILD)/lab
DEBUG	:= $(BUILD)/debug
KCSAN	:= $(BUILD)/kcsan
MODULE	:= $(BUILD)/module
DEB	:= $(BUILD)/deb

# ccache survives "make clean" and a new point release, so use it where it is.
KCC	= $(if $(shell command -v ccache),ccache )gcc
export CCACHE_BASEDIR := $(BUILD)
export CCACHE_NOHASHDIR := 1
export CCACHE_MAXSIZE ?= 10G

LOCKED	:= base/locked $(BUILD)/kernel.lock
TALLY	:= base/tally

# The kernel's own makes must not inherit our command line (BUILD=, -j).
unexport MAKEFLAGS MAKEOVERRIDES MFLAGS

# What is listed once is made once, in this order; -j is for the kernel.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup tree lab-kernel debug-kernel run-arguments run \
	bench-arguments bench shell test test-full host-test kunit kselftest \
	kselftest-install check check-series \
	check-bases soak-quick soak-arguments soak matrix-arguments matrix \
	integrity kcsan-kernel patches \
	module-sources module dkms-deb dkms-install deb test-stock htmldocs \
	fairway-top clean

help:
	@sed -n 's/^#| \?//p' $(firstword $(MAKEFILE_LIST))

#| Fairway: an I/O scheduler for Linux 6.12 that lets nobody wait longer than a
#| stated bound. Times are for 2 cores, downloads excluded; cold / warm.
#|
#|  make run           boot the lab and compare the schedulers: table and
#|                     out/run.json                               15 / 4 min
#|  make bench         the schedulers on modelled disks, beside the limits of
#|                     their physics: SUITE=heritage|modern|cpu CASE= SCHED=
#|                     SEEDS= GUESTS=             hours; one row 1 minute
#|  make test          host-test + kunit + kselftest + check-series; last line
#|                     "N passed, N failed, N skipped"           40 / 15 min
#|  make host-test     core and disk models in user space, sanitized    1 min
#|  make kunit         KUnit tests (User-Mode Linux)               6 / 1 min
#|  make kselftest     block selftests in the lab's guest
#|  make kselftest-install DESTDIR=DIR
#|                     install them for another machine
#|  make soak-quick    debug kernel (KASAN, lockdep) under load   30 / 10 min
#|  make soak          that and storms, faults, hot-unplug, again and again:
#|                     MINUTES=60 KERNEL=debug|kcsan SEED= ROUND="CASE..."
#|  make matrix        the core set on a rotational and a flash model, scsi_debug,
#|                     NVMe, AHCI, virtio-blk, virtio-scsi: DEVICES="..."  8 min
#|  make integrity     is what was synced there, wherever the power is cut?
#|                     Each prefix of what dm-log-writes saw           3 min
#|  make check         checkpatch, sparse, kernel-doc, shellcheck, and the
#|                     rules of this repository                    3 / 1 min
#|  make check-series  git am of the series gives the tree             1 min
#|  make check-bases   the hunks fit the oldest and the newest 6.12 that
#|                     the package source offers (downloads 300 MB)    2 min
#|  make test-stock    the DKMS package in a small Debian of its own, and Debian's
#|                     own 6.12 kernel with its module in the lab; as root, it
#|                     downloads 250 MB the first time              15 / 8 min
#|  make htmldocs      our pages with the kernel's Sphinx, no warnings   1 min
#|  make test-full     test + check-bases + test-stock + htmldocs, the bench on
#|                     cases whose outcome is known, matrix + integrity, and a
#|                     soak of 10 minutes
#|  make fairway-top   who has how much of a disk, live, in build/top    secs
#|  make shell         a shell in the lab's guest
#|  make patches       the fork as a git am series in out/patches     secs
#|  make module KVER=  fairway-iosched.ko for a stock Debian 6.12 kernel whose
#|                     headers are installed                         1 min
#|  make dkms-deb      a package in out/ that has DKMS build it       secs
#|  make dkms-install  that package and the headers of the running kernel, or
#|                     of KVER=, installed                           1 min
#|  make deb           this kernel as Debian packages in out/deb: the lab's
#|                     configuration, or CONFIG=/boot/config-...   15 / 5 min
#|
#|  make setup         install the missing Debian packages             2 min
#|  make tree          the prepared kernel source in build/tree    30 / 1 s
#|  make lab-kernel    the kernel that run, shell and test boot  10 / 1 min
#|  make debug-kernel  the kernel that soak-quick and soak boot  20 / 1 min
#|  make kcsan-kernel  one that looks for data races             20 / 1 min
#|  make clean         remove what was built; the results in out/ stay
#|
#| Variables: BUILD=build OUT=out, where things go; KSRC= another Linux 6.12, a
#| directory or a tarball, instead of Debian's; JOBS= parallel compilers;
#| SETUP=no to install nothing.

setup:
	@$(if $(filter no,$(SETUP)),:,tools/fairway/setup)

tree: setup
	@$(LOCKED) base/prepare --tree $(TREE) --ksrc $(KSRC)

# $(call kernel,NAME,O= FOLDER,FRAGMENTS)
define kernel
@$(LOCKED) base/configure --tree $(TREE) --build $(2) --make 'CC=$(KCC)' $(3)
@$(LOCKED) base/progress --name '$(1)' --log $(2)/build.log -- \
	make -C $(TREE) O=$(2) CC='$(KCC)' -j$(JOBS) bzImage modules
endef

lab-kernel: tree
	$(call kernel,lab kernel,$(LAB),configs/lab.config)

debug-kernel: tree
	$(call kernel,debug kernel,$(DEBUG),configs/lab.config configs/debug.config)

kcsan-kernel: tree
	$(call kernel,KCSAN kernel,$(KCSAN),configs/lab.config configs/kcsan.config)

# Python comes with setup; what is refused is refused before the long build.
run-arguments: setup
	@tools/fairway/run/run --check-only

run: run-arguments lab-kernel
	@tools/fairway/run/run

bench-arguments: setup
	@tools/fairway/bench/bench --list >/dev/null

bench: bench-arguments lab-kernel
	@tools/fairway/bench/bench

shell: lab-kernel
	@tools/fairway/lab/boot --shell

KUNIT	= $(LOCKED) base/kunit --tree $(TREE) --build $(BUILD)/kunit \
	  --jobs $(JOBS) --cc '$(KCC)'
KSELFTEST = tools/fairway/test/kselftest
HOST	= base/host-tests $(TREE) $(BUILD)/host
SERIES	= base/test-series $(TREE) $(KSRC)
BASES	= base/test-bases $(BUILD)/bases
# Anew each time: is what the bench shows still what it has to show?
EXPECT	= tools/fairway/bench/bench --expect --again --out $(OUT)/expect

# Built from here, not from the tree: it is no part of a kernel.
fairway-top: setup
	@$(MAKE) -s -C tools/fairway/fairway-top OUTPUT=$(BUILD)/top

host-test: tree
	@$(HOST)

kunit: tree
	@$(KUNIT)

kselftest: lab-kernel
	@$(KSELFTEST)

kselftest-install: tree
	$(if $(DESTDIR),,$(error Where to? make kselftest-install DESTDIR=DIRECTORY))
	@tools/fairway/test/install --tree $(TREE) --build $(BUILD)/kselftest $(DESTDIR)

STOCK	= tools/fairway/stock/test
DOCS	= tools/fairway/docs/html $(TREE) $(BUILD)/docs

TESTS	= "host=$(HOST)" "kunit=$(KUNIT)" "kselftest=$(KSELFTEST)" \
	  "top=tools/fairway/fairway-top/test-lab $(BUILD)/top/fairway-top" \
	  "series=$(SERIES)"

test: lab-kernel fairway-top
	@$(TALLY) --title test $(TESTS)

# The soak of an hour is asked for by itself.
test-full: lab-kernel debug-kernel fairway-top stock-packages docs-packages
	@$(TALLY) --title test $(TESTS) "bases=$(BASES)" "stock=$(STOCK)" "docs=$(DOCS)" \
		"bench=$(EXPECT)" "matrix=$(MATRIX)" "integrity=$(INTEGRITY)" \
		"soak=$(SOAK) 10"

# What only these need.
.PHONY: stock-packages docs-packages deb-packages
stock-packages: PACKAGES = debootstrap xz-utils kmod
docs-packages: PACKAGES = python3-sphinx
deb-packages: PACKAGES = debhelper dpkg-dev fakeroot
stock-packages docs-packages deb-packages:
	@$(if $(filter no,$(SETUP)),:,tools/fairway/setup $(PACKAGES))

test-stock: tree stock-packages
	@$(STOCK)

htmldocs: tree docs-packages
	@$(DOCS)

check: tree
	@tools/fairway/check/run

check-series: tree
	@$(SERIES)

check-bases: setup
	@$(BASES)

soak-quick: debug-kernel
	@tools/fairway/soak/quick

MINUTES	?= 60
KERNEL	?= debug
SOAK	= tools/fairway/soak/soak --kernel $(KERNEL) $(if $(SEED),--seed $(SEED)) --minutes
MATRIX	= tools/fairway/soak/matrix
INTEGRITY = tools/fairway/soak/integrity

soak-arguments:
	@$(SOAK) $(MINUTES) --check-only $(ROUND)

matrix-arguments:
	@$(MATRIX) --check-only $(DEVICES)

soak: soak-arguments $(KERNEL)-kernel
	@$(SOAK) $(MINUTES) $(ROUND)

matrix: matrix-arguments lab-kernel
	@$(MATRIX) $(DEVICES)

integrity: lab-kernel
	@$(INTEGRITY)

patches: tree
	@base/export --tree $(TREE) --out $(OUT)/patches

# For kernels without Fairway: their headers package and no prepared tree.
module-sources:
	@$(if $(filter no,$(SETUP)),:,tools/fairway/setup linux-source-6.12 make gcc python3 xz-utils)
	@base/locked $(MODULE).lock tools/fairway/module/stage --ksrc $(KSRC) \
		--keep $(MODULE)/base $(MODULE)/src
	@touch $(BUILD)/kernel.lock

KVER	?= $(shell uname -r)
.PHONY: module-kernel
module-kernel:
	$(if $(and $(filter 1,$(words $(KVER))),$(filter 6.12.%,$(KVER))),,$(error '$(KVER)' is \
		not the release of a 6.12 kernel, such as 6.12.43+deb12-amd64, and the module is \
		for no other; KVER= chooses a kernel))
	@:

module: module-kernel module-sources
	@$(MAKE) -s -C $(MODULE)/src KVER=$(KVER) $(if $(KDIR),KDIR=$(KDIR)) -j$(JOBS)
	@install -D -m 644 $(MODULE)/src/block/fairway/fairway-iosched.ko \
		$(OUT)/modules/$(KVER)/fairway-iosched.ko
	@echo "module: $(OUT)/modules/$(KVER)/fairway-iosched.ko"

dkms-deb: module-sources
	@tools/fairway/module/mkdeb $(MODULE)/src $(OUT)

dkms-install: module-kernel dkms-deb
	@$(if $(filter 0,$(shell id -u)),,sudo) apt-get install -y --no-install-recommends \
		$(OUT)/fairway-iosched-dkms_*_all.deb linux-headers-$(KVER)
	@echo "Then: echo fairway >/sys/block/sda/queue/scheduler"

# The kernel's own packaging, which leaves the packages beside its O= folder. That is
# as deep as the lab's, so that ccache knows the objects.
deb: tree deb-packages
	$(if $(CONFIG),@$(LOCKED) base/configure --tree $(TREE) --build $(DEB) \
		--make 'CC=$(KCC)' --whole $(abspath $(CONFIG)) configs/deb.config,\
	@$(LOCKED) base/configure --tree $(TREE) --build $(DEB) --make 'CC=$(KCC)' \
		configs/lab.config configs/deb-lab.config)
	@$(LOCKED) base/progress --name 'kernel packages' --log $(DEB)/build.log -- \
		env DEBFULLNAME=Fairway DEBEMAIL=fairway@localhost \
		make -C $(TREE) O=$(DEB) CC='$(KCC)' DPKG_FLAGS=-d -j$(JOBS) bindeb-pkg
	@rm -rf $(OUT)/deb && mkdir -p $(OUT)/deb
	@mv $(BUILD)/linux-*.deb $(OUT)/deb && rm -f $(BUILD)/linux-upstream_*
	@ls $(OUT)/deb/*.deb

# By name, and only where a build was: a BUILD= given by mistake is left alone. The
# tree loses its name first, so that half of it is never taken for a whole one.
clean:
	@[ ! -e $(BUILD) ] || [ -e $(BUILD)/kernel.lock ] || \
		{ echo "clean: $(BUILD) is no build folder of Fairway's: it has no kernel.lock" >&2; exit 1; }
	@rm -rf $(BUILD)/tree.unpacking
	@[ ! -e $(BUILD)/tree ] || mv $(BUILD)/tree $(BUILD)/tree.unpacking
	@rm -rf $(addprefix $(BUILD)/,tree tree.unpacking tree.lock lab debug kcsan kunit \
		kselftest guest check bases host top module module.lock stock docs deb kernel.lock)
	@rmdir $(BUILD) 2>/dev/null || true

%::
	$(error There is no target '$@'; 'make' lists what there is)
