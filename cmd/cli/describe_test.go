package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/spf13/cobra"
)

// A program describes what its help shows, and nothing that is hidden or cobra's own.
func TestDescribe(t *testing.T) {
	nothing := func(*cobra.Command, []string) { t.Error("the program does its work") }
	root := &cobra.Command{Use: "tool", Short: "Work", Long: "Works hard.", Example: "  tool", Run: nothing}
	root.Flags().String("dir", "here", "`DIR` directory of the work")
	root.PersistentFlags().BoolP("quiet", "q", false, "say nothing")
	root.Flags().Bool("secret", false, "")
	root.Flags().MarkHidden("secret")
	root.AddCommand(&cobra.Command{Use: "work N", Short: "Work on", Run: nothing}, &cobra.Command{Use: "secret", Hidden: true, Run: nothing})
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{"tool", Describe}
	var out bytes.Buffer
	root.SetOut(&out)
	if status := run(root, nil); status != 0 {
		t.Errorf("status %d", status)
	}
	var got Description
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	help := FlagDescription{"help", "h", "", "print this help", false}
	want := Description{
		Use: "tool", Short: "Work", Long: "Works hard.", Example: "  tool",
		Flags: []FlagDescription{{"dir", "", "DIR", "directory of the work", false}, help, {"quiet", "q", "", "say nothing", true}, {"version", "v", "", "print the version", false}},
		Commands: []Description{{
			Use: "work N", Short: "Work on", Flags: []FlagDescription{help},
		}},
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
