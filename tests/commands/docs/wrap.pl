#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# wrap.pl COLUMNS PAGE...: wraps those paragraphs and list items of Markdown that have a line of more columns. Tables, headings, code,
# comments and HTML stay as they are, as does a paragraph whose wrapped lines would begin like a list or a heading.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
my $most = shift // die "usage: wrap.pl COLUMNS PAGE...\n";

# wrapped LINE...: the lines of one paragraph or item.
sub wrapped {
    my @lines = @_;
    return @lines unless grep { length > $most } @lines;
    return @lines if grep { / {2}$/ } @lines;    # a line break that is meant
    my ($first) = $lines[0] =~ /^(\s*(?:(?:[-*+]|\d+\.)\s+)?)/;
    my $text = join ' ', map { s/^\s+|\s+$//gr } substr($lines[0], length $first), @lines[1 .. $#lines];
    $text =~ s/(`[^`]*`)/$1 =~ tr| |\0|r/ge;       # code is not parted
    my ($line, @out) = $first;
    my $filled = 0;
    for my $word (split ' ', $text) {
        if ($filled && length($line) + 1 + length($word) > $most) {
            push @out, $line;
            ($line, $filled) = (' ' x length $first, 0);
        }
        $line .= ($filled++ ? ' ' : '') . $word;
    }
    push @out, $line;
    return @lines if grep { /^\s*(?:[-*+](?:\s|$)|[>#|]|\d+[.)](?:\s|$)|=+$)/ } @out[1 .. $#out];
    return map { tr/\0/ /r } @out;
}

for my $page (@ARGV) {
    open my $in, '<', $page or die "$page: $!\n";
    chomp(my @lines = <$in>);
    close $in;
    my ($code, $comment, @block, @out) = (0, 0);
    for (@lines) {
        my $fence = /^\s*```/;
        my $apart = $code || $comment || $fence || /^\s*$/ || /^\s*(?:[|#<>]|!\[)/ || (!@block && /^    /);
        if ($apart || /^\s*(?:[-*+]|\d+\.)\s/) { push @out, wrapped(@block) if @block; @block = (); }
        if ($apart) { push @out, $_ } else { push @block, $_ }
        $comment = !/-->/ if $comment || (!$code && /^\s*<!--/);
        $code = !$code if $fence;
    }
    push @out, wrapped(@block) if @block;
    next if join("\n", @out) eq join("\n", @lines);
    open my $to, '>', $page or die "$page: $!\n";
    print $to "$_\n" for @out;
    close $to or die "$page: $!\n";
}
