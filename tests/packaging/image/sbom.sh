#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sbom.sh VERSION: the bill of materials of the image as SPDX 2.3 JSON, from lines "library|included NAME VERSION", separated
# by tabs: Debian packages that are in the image, and those whose code is compiled into berth.
set -euo pipefail
exec awk -F '\t' -v version="${1:?usage: sbom.sh VERSION}" -v now="$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  function package(id, name, version, license, purl) {
    return sprintf("    {\"SPDXID\": \"SPDXRef-%s\", \"name\": \"%s\", \"versionInfo\": \"%s\", \"downloadLocation\": \"NOASSERTION\"," \
      "\n     \"filesAnalyzed\": false, \"licenseConcluded\": \"NOASSERTION\", \"licenseDeclared\": \"%s\", \"copyrightText\": \"NOASSERTION\"%s}",
      id, name, version, license, purl == "" ? "" : ",\n     \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\"," \
      " \"referenceLocator\": \"" purl "\"}]")
  }
  function relation(from, how, to) {
    return sprintf("    {\"spdxElementId\": \"SPDXRef-%s\", \"relationshipType\": \"%s\", \"relatedSpdxElement\": \"SPDXRef-%s\"}", from, how, to)
  }
  BEGIN {
    packages = package("berth", "berth", version, "Apache-2.0")
    relations = relation("DOCUMENT", "DESCRIBES", "berth")
  }
  {
    id = $1 "-" $2; gsub(/[^A-Za-z0-9.-]/, "-", id)
    escaped = $3; gsub(/:/, "%3A", escaped); gsub(/\+/, "%2B", escaped)
    name = $2; gsub(/\+/, "%2B", name)
    packages = packages ",\n" package(id, $2, $3, "NOASSERTION", "pkg:deb/debian/" name "@" escaped "?distro=bookworm")
    relations = relations ",\n" ($1 == "library" ? relation("berth", "DEPENDS_ON", id) : relation("berth", "CONTAINS", id))
  }
  END {
    if (NR == 0) { print "sbom.sh: no packages on standard input" >"/dev/stderr"; exit 1 }
    printf "{\n  \"spdxVersion\": \"SPDX-2.3\", \"dataLicense\": \"CC0-1.0\", \"SPDXID\": \"SPDXRef-DOCUMENT\",\n  \"name\": \"berth-%s\",\n" \
      "  \"documentNamespace\": \"urn:berth:image:%s:%s\",\n  \"creationInfo\": {\"created\": \"%s\", \"creators\": [\"Tool: tests/packaging/image/sbom.sh\"]},\n" \
      "  \"packages\": [\n%s\n  ],\n  \"relationships\": [\n%s\n  ]\n}\n", version, version, now, now, packages, relations
  }'
