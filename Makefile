# Makefile: installs what is missing, builds, runs, checks. Meson does the work.
# SPDX-License-Identifier: GPL-3.0-or-later

BUILD   ?= build
EXAMPLE := resources/examples/tour.onnxtxt
MODEL   ?= $(EXAMPLE)
SUDO    := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: all deps build run check install uninstall clean

all: build

# LITE=1 leaves LLVM's programs out: then LLVM's bitcode is not read, LLVM's passes do not run, and the tests of both are skipped.
deps:
	@missing=$$(grep -v -e '^#' $(if $(LITE),-e '^llvm') deps.txt | while read -r package; do \
	    dpkg-query -W -f='$${Status}' "$$package" 2>/dev/null | grep -q 'ok installed' || echo "$$package"; done); \
	if [ -n "$$missing" ]; then \
	    echo "Installing" $$missing; \
	    $(SUDO) apt-get update -q && \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -q -y --no-install-recommends $$missing; \
	fi

$(BUILD)/build.ninja:
	meson setup $(BUILD) $(SETUP)

build: deps $(BUILD)/build.ninja
	meson compile -C $(BUILD)

# With a display, the window. Without one, the same job in the terminal: the table of steps, and the picture as SVG. Only the programs are
# built: the tests take as long again.
run: deps $(BUILD)/build.ninja
	meson compile -C $(BUILD) peephole:executable peep peephole-layout
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	    exec meson devenv -C $(BUILD) app/peephole "$(abspath $(MODEL))"; \
	else \
	    exec meson devenv -C $(BUILD) app/peep "$(abspath $(MODEL))" -c run \
	        -c "render $(abspath $(BUILD))/$(basename $(notdir $(MODEL))).svg"; \
	fi

check: build
	meson test -C $(BUILD) --print-errorlogs --no-rebuild $(CHECK)

install: build
	$(SUDO) meson install -C $(BUILD) --no-rebuild

uninstall:
	$(SUDO) resources/uninstall.sh $(BUILD)

clean:
	rm -rf $(BUILD)
