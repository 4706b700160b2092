import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface VersionTexts {
  /** That of the root's package.json. */
  version: string;
  changelog: string;
  /** Other files with a version, as JSON, by their path. */
  manifests: Readonly<Record<string, string>>;
}

/** Why this version cannot be released, by what the repository says of it. */
export function versionProblems({ version, changelog, manifests }: VersionTexts): string[] {
  const others = Object.entries(manifests).flatMap(([file, text]) => {
    const { version: other } = JSON.parse(text) as { version: string };
    return other === version ? [] : [`${file} has the version ${other}`];
  });
  const section = changelogSection(changelog, version);
  if (section === undefined) return [...others, `CHANGELOG.md has no section ## [${version}]`];
  const isDated = /^## \[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(section);
  const hasEntries = /^- /m.test(section);
  return [
    ...others,
    ...(isDated ? [] : [`the section of ${version} in CHANGELOG.md has no date`]),
    ...(hasEntries ? [] : [`the section of ${version} in CHANGELOG.md is empty`]),
  ];
}

/** The section of a version in a changelog (keepachangelog.com 1.1.0), with its heading. */
function changelogSection(changelog: string, version: string): string | undefined {
  return changelog.split(/^(?=## )/m).find((section) => section.startsWith(`## [${version}]`));
}

/** A part of what `npm pack --json` prints. */
export interface PackedFiles {
  version: string;
  size: number;
  unpackedSize: number;
  files: readonly { path: string }[];
}

interface PackedExpectation {
  version: string;
  maxPackedBytes: number;
  /** The folder that was packed. */
  built: string;
  /** The checkout, whose path no file may hold. */
  root: string;
}

/** Files that are not text. */
const BINARY = /\.(?:bin|webp|png)$/;

/** What is wrong with the content of a package. */
export function packedProblems(
  { version, size, files }: PackedFiles,
  expected: PackedExpectation,
): string[] {
  const paths = files.map(({ path }) => path);
  const sources = paths.filter((path) => /(?<!\.d)\.tsx?$|\.map$|\.test\./.test(path));
  const missing = ['LICENSE', 'README.md'].filter((file) => !paths.includes(file));
  const leaking = paths.filter(
    (path) =>
      !BINARY.test(path) &&
      readFileSync(join(expected.built, path), 'utf8').includes(expected.root),
  );
  return [
    ...(version === expected.version ? [] : [`it has the version ${version}`]),
    ...(size <= expected.maxPackedBytes ? [] : [`it has ${size} bytes packed`]),
    ...missing.map((file) => `${file} is missing at its root`),
    ...sources.map((path) => `${path} is a source`),
    ...leaking.map((path) => `${path} holds the path of this checkout`),
  ];
}
