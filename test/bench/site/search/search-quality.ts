import { readFileSync } from 'node:fs'
import type { Figure } from '../../figure.ts'
import { otherEngines } from './others.ts'
import { readHandbooks, withHandbook } from './quality.ts'

/** By the name of a handbook, questions with the files of the pages that answer them. */
type Questions = Record<string, Record<string, string[]>>

/** How many questions an engine answers with its first page, and with one of its first three. */
type Count = { first: number; three: number }

/**
 * The questions by which the search is improved; with STEMMA_BENCH_SET_ASIDE those that were set
 * aside, which no change of the search may be made for.
 */
const asked = process.env.STEMMA_BENCH_SET_ASIDE
  ? { what: 'questions set aside', file: 'set-aside.json' }
  : { what: 'questions', file: 'questions.json' }

/**
 * Counts the questions that a search of a site answers, beside two search engines for browsers.
 * With STEMMA_BENCH_MISSED, prints the questions that are not answered.
 */
export async function searchQuality(): Promise<Figure[]> {
  const figures: Figure[] = []
  const questions = read(asked.file)
  const counts = await count(questions)
  const total = Object.values(questions).flatMap(Object.keys).length
  const { Stemma, MiniSearch, lunr } = counts
  if (!Stemma || !MiniSearch || !lunr) throw new Error('No question was asked.')

  for (const place of ['first', 'three'] as const) {
    const where = place === 'first' ? 'first' : 'among the first three'
    const work = `${total} ${asked.what} of handbooks, answer ${where}`
    const stated = { work, value: Stemma[place], unit: 'answers' }
    const versus = (engine: string, { [place]: value }: Count): Figure => ({
      ...stated,
      reference: { what: engine, value },
      target: { of: 'ratio', is: 'at least', value: 1 },
    })
    figures.push(versus('MiniSearch', MiniSearch), versus('lunr', lunr))
    if (place === 'three')
      figures.push({ ...stated, target: { of: 'figure', is: 'at least', value: total * 0.9 } })
  }

  return figures
}

const read = (file: string): Questions =>
  JSON.parse(readFileSync(new URL(`./${file}`, import.meta.url), 'utf8'))

async function count(questions: Questions): Promise<Record<string, Count>> {
  const counts: Record<string, Count> = {}
  for (const [name, files] of await readHandbooks(Object.keys(questions)))
    await withHandbook(files, async ({ pages, find }) => {
      const engines = { Stemma: find, ...otherEngines(pages) }
      const known = new Set(pages.map(({ file }) => file))

      for (const [query, answers] of Object.entries(questions[name] ?? {})) {
        if (!answers.every(path => known.has(path)))
          throw new Error(`"${query}" has an answer that ${name} does not have.`)

        for (const [engine, search] of Object.entries(engines)) {
          const found = await search(query, 3)
          const at = found.findIndex(path => answers.includes(path))
          counts[engine] ??= { first: 0, three: 0 }
          const held = counts[engine]
          if (at === 0) held.first++
          if (at >= 0) held.three++
          else if (process.env.STEMMA_BENCH_MISSED) console.log(engine, query, found)
        }
      }
    })

  return counts
}
