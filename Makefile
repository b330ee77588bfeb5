# SPDX-License-Identifier: GPL-2.0
#
# Fairway's front door. "make" alone says what there is.

BUILD	?= build
OUT	?= out
KSRC	?= /usr/src/linux-source-6.12.tar.xz
JOBS	?= $(shell nproc)

TREE	:= $(abspath $(BUILD))/tree
LAB	:= $(abspath $(BUILD))/lab
DEBUG	:= $(abspath $(BUILD))/debug

# ccache survives "make clean" and a new point release, so use it where it is.
CCACHE	:= $(shell command -v ccache)
export CCACHE_BASEDIR := $(abspath $(BUILD))
export CCACHE_NOHASHDIR := 1
export CCACHE_MAXSIZE ?= 10G
KCC	:= $(if $(CCACHE),ccache )gcc

# One kernel build at a time: two would each take more than twice as long.
LOCKED	:= flock $(abspath $(BUILD))/kernel.lock

# The kernel's own makes must not inherit our command line (BUILD=, KSRC=).
unexport MAKEFLAGS MAKEOVERRIDES MFLAGS

.DEFAULT_GOAL := help
.PHONY: help tree lab-kernel debug-kernel

help:
	@echo 'make tree lab-kernel debug-kernel'

tree:
	@base/prepare --tree $(TREE) --ksrc $(KSRC)

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
