package cli

// StatusHelp is the part of help texts that says what the exit statuses mean, the same
// for all programs.
const StatusHelp = `Exit status: 0 done; 1 failed; 2 the command line cannot be understood; 3 there is
no such table; 4 the table is damaged, not a table, or of a newer format; 130 or 143
stopped by Ctrl-C or SIGTERM.`
