package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"

	"backsolve/cmd/cli"
)

// A point is a struct of strings, ints and float64s. Its columns in CSV are named by the json
// tags. Infinite and unknown numbers are empty.

func columnNames[P any]() (names []string) {
	t := reflect.TypeFor[P]()
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("json"))
	}
	return names
}

// cells formats the fields of a point.
func cells[P any](point P) (texts []string) {
	v := reflect.ValueOf(point)
	for i := range v.NumField() {
		text := fmt.Sprint(v.Field(i))
		if v.Field(i).Kind() == reflect.Float64 {
			if x := v.Field(i).Float(); math.IsInf(x, 0) || math.IsNaN(x) {
				text = ""
			} else {
				text = floatText(x)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// parseCells is the inverse of cells.
func parseCells[P any](texts []string) (point P, err error) {
	v := reflect.ValueOf(&point).Elem()
	if len(texts) != v.NumField() {
		return point, fmt.Errorf("it has %d cells instead of %d", len(texts), v.NumField())
	}
	for i, text := range texts {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(text)
		case reflect.Int:
			n, err := strconv.ParseInt(text, 10, 0)
			if err != nil {
				return point, fmt.Errorf("column %s: %.40q is not a whole number", columnNames[P]()[i], text)
			}
			f.SetInt(n)
		case reflect.Float64:
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return point, fmt.Errorf("column %s: %.40q is not a number", columnNames[P]()[i], text)
			}
			f.SetFloat(x)
		}
	}
	return point, nil
}

func writeCSV[P any](w io.Writer, points []P) error {
	rows := [][]string{columnNames[P]()}
	for _, p := range points {
		rows = append(rows, cells(p))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writePoints writes points as CSV, the whole file as JSON, or rows as text.
func writePoints[P any](w io.Writer, format string, d *data[P], rows [][]string) error {
	switch format {
	case cli.JSON:
		return cli.WriteJSON(w, d)
	case cli.CSV:
		return writeCSV(w, d.Points)
	}
	return cli.WriteGrid(w, 0, rows)
}
