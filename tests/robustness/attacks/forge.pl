# SPDX-License-Identifier: Apache-2.0
# forge.pl RECORDING KIND: the recording's first block and after it what nobody recorded, on standard output.
use strict;
use warnings;
no warnings 'portable';

my ($file, $kind) = @ARGV;
open my $in, '<:raw', $file or die "$file: $!";
read $in, my $magic, 13;
read $in, my $head, 12;
read $in, my $block, unpack 'V', $head;

# As in host/record/bytes.h.
sub digest {
  my ($text) = @_;
  my $times = sub { use integer; my ($a, $b) = @_; $a * $b };
  my $h = $times->(length $text, 0x9e3779b97f4a7c15);
  my $take = sub { $h = $times->($h ^ $_[0], 0xff51afd7ed558ccd); $h ^= ($h >> 32) & 0xffffffff };
  $take->(unpack 'Q<', $_) for $text =~ /\G(.{8})/gs;
  my $rest = substr $text, length($text) - length($text) % 8;
  $take->(unpack 'Q<', $rest . "\0" x (8 - length $rest));
  return pack 'Q<', $h;
}
sub block { my ($text) = @_; return pack('V', length $text) . digest($text) . $text }
sub number { my ($n) = @_; my $out = ''; while ($n >= 128) { $out .= chr($n & 127 | 128); $n >>= 7 } return $out . chr $n }
sub text { return number(length $_[0]) . $_[0] }

my ($same, $null, $string, $array, $object, $edit_object) = map { chr } 0, 1, 6, 7, 8, 10;
my ($node_added, $node_updated) = map { chr } 17, 18;
my $now = "\0";    # at the time of the entry before
sub members { my %m = @_; return $object . number(scalar keys %m) . join '', map { text($_) . $m{$_} } sort keys %m }
sub node { my ($name, %more) = @_; return members(metadata => members(name => $string . text($name)), %more) }
sub added { my ($name, $tree) = @_; return $node_added . $now . text($name) . text('') . $tree }

my $large = $array . number(1000) . ($string . text('x' x 100)) x 1000;
my $out = '';
# A member of the base ten times, in each of which that of its own is a thousand times: a gigabyte in 20,000 bytes.
if ($kind eq 'bomb') {
  my $inner = $edit_object . number(1000) . (number(1) . $same) x 1000;
  $out = added('n', node('n', x => members(x => $large))) . $node_updated . $now . text('n') . "\0" .
    $edit_object . number(11) . number(1) . $same . (number(2) . $inner) x 10;
# Nodes that are each what the one before was.
} elsif ($kind eq 'flood') {
  $out = added('n', node('n', x => $large)) . join '', map { added("n$_", $same) } 1 .. 40000;
} elsif ($kind eq 'deep') {
  $out = added('n', node('n', x => ($array . number(1)) x 100000 . $null));
} elsif ($kind eq 'long') {
  $out = added('n', node('n', x => $array . number(1 << 60)));
} elsif ($kind eq 'text') {
  $out = added('n', node('n', x => $string . number(1 << 60)));
} elsif ($kind eq 'time') {
  $out = $node_added . number(~0 - 1) . text('n') . text('') . node('n');
} elsif ($kind eq 'early') {
  $block =~ /^\x01.[\x80-\xff]*[\x00-\x7f]/s or die 'the recording does not begin with its profiles';
  my $at = $+[0];
  my ($length, $shift) = (0, 0);
  for (my $i = 2; $i < $at; ++$i, $shift += 7) { $length |= (ord(substr $block, $i, 1) & 127) << $shift }
  $block = substr($block, 0, $at + $length) . added('n', node('n'));
} elsif ($kind eq 'unused') {
  $out = chr(16) . $now . number(77);
} elsif ($kind ne 'honest') {
  die "$kind: no such kind";
}
print $magic, block($block), $out eq '' ? '' : block($out);
