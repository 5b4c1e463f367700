package strict

import "testing"

func TestUnmarshal(t *testing.T) {
	type inner struct{ B int }
	for text, good := range map[string]bool{
		`{"a":1}`: true, `{"A":1}`: true, ` {"a":1,"c":[{"b":1},{"b":2}]} `: true, `{"c":[]}`: true, `{}`: true,
		`{"a":1,"a":1}`: false, `{"a":1,"A":2}`: false, `{"a":1,"\u0061":2}`: false, `{"c":[{"b":1,"b":2}]}`: false,
		`{"d":1}`: false, `{"a":1}{"a":1}`: false, `{"a":1}]`: false, `{"a":1`: false, ``: false, `{"a":"x"}`: false,
	} {
		var v struct {
			A int
			C []inner
		}
		if err := Unmarshal([]byte(text), &v); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}
