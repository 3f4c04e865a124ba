/** How bad a finding is: readers miss something, may miss something, or miss nothing. */
export const severities = ['error', 'warning', 'info'] as const
type Severity = (typeof severities)[number]

/** `nouns` name one finding of the kind, and several. */
type Kind = { severity: Severity; nouns: readonly [one: string, several: string]; advice: string }

const kinds = {
  'broken-link': {
    severity: 'error',
    nouns: ['broken link', 'broken links'],
    advice: 'Write the path of a file that exists, or remove the link.',
  },
  'missing-operation': {
    severity: 'error',
    nouns: [
      'block whose operation or schema does not exist',
      'blocks whose operations or schemas do not exist',
    ],
    advice: 'Write a path and method that the spec has, or correct the file of the spec.',
  },
  'missing-page': {
    severity: 'error',
    nouns: ['entry whose page does not exist', 'entries whose pages do not exist'],
    advice: 'Add the file, correct the path, or remove the entry.',
  },
  'conflict-marker': {
    severity: 'error',
    nouns: ['marker of a conflict', 'markers of conflicts'],
    advice: 'Keep the lines of one side, and remove the lines with the markers.',
  },
  'lfs-pointer': {
    severity: 'error',
    nouns: ['pointer of Git LFS in place of a file', 'pointers of Git LFS in place of files'],
    advice:
      'Add the file itself: "git lfs migrate export --include=<path>" takes it out of Git LFS.',
  },
  'unclosed-block': {
    severity: 'error',
    nouns: ['block without its end', 'blocks without their ends'],
    advice: 'Write the line that ends the block, alone on its line.',
  },
  'missing-anchor': {
    severity: 'warning',
    nouns: ['link to an anchor that does not exist', 'links to anchors that do not exist'],
    advice: 'Write the anchor of a heading of that page, or leave out what follows "#".',
  },
  'dead-redirect': {
    severity: 'warning',
    nouns: ['redirect that leads to no page', 'redirects that lead to no page'],
    advice: 'Write the path of the file of a page, or remove the redirect.',
  },
  'contents-line': {
    severity: 'warning',
    nouns: [
      'line of the table of contents that is not understood',
      'lines of the table of contents that are not understood',
    ],
    advice: 'Write an entry as "* [Title](path/of/page.md)", with <> around a path with spaces.',
  },
  'contents-entry': {
    severity: 'warning',
    nouns: [
      'entry of the table of contents to correct',
      'entries of the table of contents to correct',
    ],
    advice: 'Give each page one entry, with a title and the path of its file.',
  },
  'unlisted-page': {
    severity: 'warning',
    nouns: ['page is not in the table of contents', 'pages are not in the table of contents'],
    advice: 'Add an entry to the table of contents, or remove the file.',
  },
  'unknown-key': {
    severity: 'warning',
    nouns: ['unknown key', 'unknown keys'],
    advice: 'Correct the name of the key, or remove the line.',
  },
  'invalid-setting': {
    severity: 'warning',
    nouns: ['setting that is not understood', 'settings that are not understood'],
    advice: 'Write a value of the kind that the key takes.',
  },
  'front-matter': {
    severity: 'warning',
    nouns: ['fault in front matter', 'faults in front matter'],
    advice: 'Correct the front matter, the lines between the "---" at the start of the file.',
  },
  'unread-file': {
    severity: 'warning',
    nouns: ['file that is not read', 'files that are not read'],
    advice: 'Make it a regular text file of less than 1 MB, or remove it.',
  },
  'unknown-tag': {
    severity: 'warning',
    nouns: ['unknown tag', 'unknown tags'],
    advice: 'Write Markdown, or a tag such as {% hint %}.',
  },
  'unread-syntax': {
    severity: 'warning',
    nouns: ['syntax of another tool', 'syntaxes of other tools'],
    advice: 'Write Markdown, or a tag such as {% hint %}.',
  },
  'unread-settings': {
    severity: 'warning',
    nouns: [
      'setting of another tool that is not read',
      'settings of other tools that are not read',
    ],
    advice: 'List the pages in SUMMARY.md, and write settings into .gitbook.yaml.',
  },
  'other-key': {
    severity: 'info',
    nouns: ['key of another tool in front matter', 'keys of other tools in front matter'],
    advice: 'Nothing, if another tool reads it; otherwise remove the line.',
  },
  'equal-address': {
    severity: 'info',
    nouns: ['address changed because of an equal one', 'addresses changed because of equal ones'],
    advice: 'Give one of the files another name, so that each has the address of its name.',
  },
  draft: {
    severity: 'info',
    nouns: ['draft left out', 'drafts left out'],
    advice: 'Remove "draft: true" from the front matter to show the page to readers.',
  },
} as const satisfies Record<string, Kind>

/** A kind of finding. */
export type FindingKind = keyof typeof kinds

/** The names of all kinds, the worst first. */
export const findingKinds = Object.keys(kinds) as [FindingKind, ...FindingKind[]]

/** Something in a revision that is not understood, or that leads nowhere. */
export type Finding = {
  /** The path in the repository; absent for what is about the revision as a whole. */
  file?: string
  /** Counts from 1; absent for what is about the file as a whole. */
  line?: number
  kind: FindingKind
  severity: Severity
  message: string
  /** What to write instead. */
  advice: string
}

type LinePlace = { file?: string | undefined; line?: number | undefined }

/** Returns a finding of a kind; without advice of its own, it has that of the kind. */
export const finding = (
  kind: FindingKind,
  { file, line }: LinePlace,
  message: string,
  advice: string = kinds[kind].advice,
): Finding => ({
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
  kind,
  severity: kinds[kind].severity,
  message,
  advice,
})

/** Returns a number of findings of a kind in words. */
export const countedFindings = (kind: FindingKind, count: number): string =>
  `${count} ${kinds[kind].nouns[count === 1 ? 0 : 1]}`
