package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What stands before and behind the picture in a page.
const (
	begin = "<!-- The picture is made by bin/house from the imports. -->\n"
	end   = "<!-- End of the picture. -->\n"
)

// insert returns a page with the picture in its place.
func (h *house) insert(page string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", errors.New("there is no place for the picture: two lines of comments that say where it begins and ends")
	}
	return before + begin + h.picture() + end + after, nil
}

// picture draws the rooms as a flowchart of Mermaid, and lists what each imports.
// An arrow is left out of the chart where others lead to the same room round about.
func (h *house) picture() string {
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TD\n")
	rooms := h.rooms()
	slices.Reverse(rooms)
	for _, name := range rooms {
		fmt.Fprintf(&b, "    %s[\"%s\"]\n", name, h.label(name))
	}
	for _, name := range rooms {
		for _, to := range h.shown(name) {
			fmt.Fprintf(&b, "    %s --> %s\n", name, to)
		}
	}
	b.WriteString("```\n\n| room | packages | imports of |\n|---|---|---|\n")
	for _, name := range rooms {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.Join(h.in(name), ", "), strings.Join(h.imported(name), ", "))
	}
	return b.String()
}

// label is what stands in the box of a room.
func (h *house) label(name string) string {
	text := "<b>" + name + "/</b>"
	if name == front {
		text = "<b>" + name + "</b><br>the module's own package"
	}
	for _, p := range h.in(name) {
		if p != name {
			text += "<br>" + p
		}
	}
	return text
}

// shown returns those of the rooms that a room imports which it does not import
// round about as well.
func (h *house) shown(name string) (all []string) {
	direct := h.imported(name)
	for _, to := range direct {
		if !slices.ContainsFunc(direct, func(via string) bool { return via != to && h.leads(via, to, len(order)) }) {
			all = append(all, to)
		}
	}
	return all
}

// leads reports whether a way of at most so many imports leads from a room to
// another one.
func (h *house) leads(from, to string, most int) bool {
	return from == to || most > 0 && slices.ContainsFunc(h.imported(from), func(via string) bool { return h.leads(via, to, most-1) })
}
