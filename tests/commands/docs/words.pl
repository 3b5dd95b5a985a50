#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# words.pl WORDS < FILES: prints the uses of private words, which the file WORDS lists; run by words.sh.
use strict;
use warnings;
my ($words) = @ARGV;
my (%folders, %term, %allowed, @allowed);
open my $in, '<', $words or die "$words: $!\n";
while (<$in>) {
    chomp;
    next if /^#/ || !/\S/;
    my ($names, $folders, $term, $exceptions) = split / \| /;
    die "$words:$.: expected WORD... | FOLDERS | TERM\n" unless defined $term && $term =~ /\S/;
    die "$words:$.: an exception needs its reason, in parentheses\n" if defined $exceptions && $exceptions !~ /^[^(]*\(.+\)$/;
    (my $identifiers = $exceptions // '') =~ s/\(.*//;
    my $uses = {map { $_ => 0 } split ' ', $identifiers};
    push @allowed, $uses;
    for my $word (split ' ', $names) { ($folders{$word}, $term{$word}, $allowed{$word}) = ([split ' ', $folders], $term, $uses) }
}
my ($files, $bad) = (0, 0);
sub found {
    my ($where, $word, $use) = @_;
    print "$where: $use: \"$word\" is a private word; the term is: $term{$word} (", "$words)\n";
    $bad = 1;
}
my $skipped = qr{//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\g1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'}s;
while (my $file = <STDIN>) {
    chomp $file;
    my %here = map { my $word = $_; (grep { index($file, "$_/") == 0 } @{$folders{$word}}) ? ($word => 1) : () } keys %folders;
    open my $source, '<', $file or die "$file: $!\n";
    my $text = do { local $/; <$source> };
    $files++;
    if ($file =~ /\.md$/) {
        my $line = 0;
        for (split /\n/, $text) {
            $line++;
            while (/\b([A-Za-z]+)\b/g) { my $word = lc $1; found("$file:$line", $word, $_) if $here{$word} }
        }
        next;
    }
    $text =~ s{($skipped)}{(my $lines = $1) =~ s/[^\n]//g; " $lines"}ge;
    my $line = 0;
    for (split /\n/, $text) {
        $line++;
        next if /^\s*#/;
        while (/\b([A-Za-z_]\w*)\b/g) {
            my $identifier = $1;
            for my $part (map { lc } $identifier =~ /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) {
                next unless $here{$part};
                if (exists $allowed{$part}{$identifier}) { $allowed{$part}{$identifier}++ } else { found("$file:$line", $part, $identifier) }
            }
        }
    }
}
for my $uses (@allowed) {
    for (grep { !$uses->{$_} } sort keys %$uses) { print "$words: nothing is called $_ any more: take out the exception\n"; $bad = 1 }
}
if ($files < 400) { print "only $files files were found\n"; $bad = 1 }
exit $bad;
