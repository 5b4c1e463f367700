package main

import (
	"fmt"
	"reflect"
	"strconv"
)

// A point of a series is a struct whose fields are strings, ints and float64s. In a
// CSV file they are columns, named by the fields' json tags. For what is
// infinite or not known nothing stands there.

// columnNames returns the names of the columns of a point.
func columnNames[P any]() []string {
	t := reflect.TypeFor[P]()
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("json"))
	}
	return names
}

// cells returns the texts of a point's fields.
func cells[P any](point P) []string {
	v := reflect.ValueOf(point)
	var texts []string
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			texts = append(texts, f.String())
		case reflect.Int:
			texts = append(texts, strconv.FormatInt(f.Int(), 10))
		case reflect.Float64:
			texts = append(texts, finiteText(f.Float()))
		}
	}
	return texts
}

// parseCells is the inverse of cells.
func parseCells[P any](texts []string) (point P, err error) {
	v := reflect.ValueOf(&point).Elem()
	if len(texts) != v.NumField() {
		return point, fmt.Errorf("%d cells are in the place of %d", len(texts), v.NumField())
	}
	for i, text := range texts {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(text)
		case reflect.Int:
			n, err := strconv.ParseInt(text, 10, 0)
			if err != nil {
				return point, fmt.Errorf("column %s: %.40q is no whole number", columnNames[P]()[i], text)
			}
			f.SetInt(n)
		case reflect.Float64:
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return point, fmt.Errorf("column %s: %.40q is no number", columnNames[P]()[i], text)
			}
			f.SetFloat(x)
		}
	}
	return point, nil
}
