/** A file that a rule refuses or takes. */
export type RuledFile = {
  path: string
  content: string
  /** By default that of a plain file. */
  mode?: string
  /** Two versions of the file that may be content. */
  allowed?: [string, string]
  /**
   * Versions that may be content each, of which Git merges `ours` and `theirs` into a refused file.
   */
  merged?: { base: string; ours: string; theirs: string }
}

const url = 'url = https://x.test/a'
const module = (name: string, ...lines: string[]) =>
  `[submodule "${name}"]\n${lines.map(line => `\t${line}\n`).join('')}`

/**
 * A section that Git ignores until `ours` renames it; `theirs` adds a line that Git refuses in a
 * submodule.
 */
const mergedFrom = (line: string): NonNullable<RuledFile['merged']> => {
  const keys = '\tone = 1\n\ttwo = 2\n'
  return {
    base: `[other "a"]\n${keys}`,
    ours: `[submodule "a"]\n${keys}`,
    theirs: `[other "a"]\n${keys}\t${line}\n`,
  }
}

const moduleRule = (path: string, name: string, ...lines: string[]): RuledFile => ({
  path,
  content: module(name, ...lines),
  allowed: [module('a', 'path = a', url), module('b', 'path = b', url)],
})

/** The files of the columns of files.txt. */
export const fileRules: Record<string, RuledFile> = {
  url: {
    ...moduleRule('.gitmodules', 'a', 'path = a', 'url = -u./payload'),
    merged: mergedFrom('url = -u./payload'),
  },
  short: {
    ...moduleRule('GITMOD~1', 'a', 'path = a', 'url = -u./payload'),
    merged: mergedFrom('url = -u./payload'),
  },
  link: { path: '.gitmodules', content: 'a.md', mode: '120000' },
  line: {
    path: '.gitattributes',
    content: `${'a'.repeat(3000)} text\n`,
    allowed: ['*.md text\n', '*.txt text\n'],
  },
  dotgit: { path: '.git', content: 'x' },
  hidden: { path: 'so\u00adft.md', content: '# Soft\n' },
  twin: { path: '\u0430.md', content: '# Cyrillic\n' },
  sign: { path: 'a:b.md', content: '# Sign\n' },
  blank: { path: ' b.md', content: '# Blank\n' },
  windows: { path: 'con.md', content: '# Con\n' },
  long: { path: `${'l'.repeat(253)}.md`, content: '# Long\n' },
  'good-modules': { path: '.gitmodules', content: module('a', 'path = a', url) },
  'good-lines': { path: '.gitattributes', content: '*.md text\n' },
  letters: { path: '\u043c\u0438\u0440.md', content: '# Letters\n' },
}

/** What refusals say, by the word in the cells. */
export const sentences: Record<string, RegExp> = {
  fsck: /is not allowed: .*(?:gitmodules|gitattributes|hasDotgit)/i,
  broken: /The repository has objects that Git rejects/,
  invisible: /has an invisible character \(U\+[0-9A-F]+/,
  text: /contains the invisible character U\+[0-9A-F]+; remove it/,
  looks: /looks like "[^"]+" in the same folder/,
  outside: /which leads out of the folder/,
  unusable: /cannot be the path of a file/,
  characters: /contains a character that is not allowed in file names/,
  blanks: /must not start with a blank or end with a blank or a dot/,
  bytes: /is longer than 255 bytes/,
  git: /is a name that is reserved by Git/,
  windows: /is a name that is reserved by Windows/,
  length: /takes 0 to 100 characters/,
}
