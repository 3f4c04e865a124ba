import { languages } from '../../../src/content/html/languages.ts'

const megabyte = 1_000_000

/** A line of code that most grammars find words in. */
const line = `if (a < 1) { return "x${'y'.repeat(20)}" + '</script>' } // <!-- 12.5e3 #include <a> $b @c :d\n`

/** Pages close to the largest that a page may be, whose time and output are bounded. */
export const largePages: Readonly<Record<string, string>> = {
  'a megabyte of asterisks': '*'.repeat(megabyte),
  'a megabyte of underscores within words': 'a_*_'.repeat(megabyte / 4),
  'a megabyte of brackets': '[](<'.repeat(megabyte / 4),
  'a megabyte of elements': '<b><i>'.repeat(megabyte / 6),
  '10,000 headings': Array.from({ length: 10_000 }, (_, at) => `## Heading ${at}\n\nWords.\n`).join(
    '\n',
  ),
  '100,000 cells of a table': `|${' a |'.repeat(10)}\n|${'---|'.repeat(10)}\n${`|${' b |'.repeat(10)}\n`.repeat(10_000)}`,
  '20,000 images': '![a](b.png) '.repeat(20_000),
  '20,000 formulas': '$$a^2$$ '.repeat(20_000),
}

/**
 * Pages with a megabyte of code in each registered language: one long block, and blocks short
 * enough to be coloured.
 */
export const codePages: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(languages).map(([label, { names }]) => {
    const [name] = names.split(' ')
    const block = (lines: number) => `\`\`\`${name}\n${line.repeat(lines)}\`\`\`\n`
    const short = Math.floor(16_000 / line.length)
    const count = Math.floor(megabyte / 2 / (short * line.length))
    return [label, block(Math.floor(megabyte / 2 / line.length)) + block(short).repeat(count)]
  }),
)
