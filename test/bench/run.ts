import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareRow, headAgainst } from './against/compare-row.ts'
import { type Figure, isMet, type Pace, ratioOf } from './figure.ts'
import { head, line, machine } from './report.ts'
import { rows } from './rows/all.ts'

const usage = `npm run bench -- [row ...] [--list] [--short] [--json FILE] [--profile FOLDER]
npm run bench -- --against FOLDER [row ...] [--short]

  --list     prints the names of the rows
  --short    few and short rounds, to check the bench itself; the figures are meaningless
  --json     also writes the figures to a file
  --against  measures the rows of this checkout and of the one in this folder, which must be built, in turns
  --profile  the server writes a CPU profile to this folder on exit, which slows it down`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean' },
    short: { type: 'boolean' },
    json: { type: 'string' },
    profile: { type: 'string' },
    against: { type: 'string' },
    help: { type: 'boolean' },
  },
})

/** The rounds of each row, of `seconds` unless they are to be short. */
const paceOf = (seconds: number): Pace =>
  values.short ? { rounds: 2, seconds: 0.4 } : { rounds: 5, seconds }

/** The rows that are asked for. */
const chosen = Object.keys(rows).filter(
  name => positionals.length === 0 || positionals.includes(name),
)

/** Prints how this checkout compares with the one in `folder`. */
async function compare(folder: string): Promise<void> {
  if (!existsSync(join(folder, 'test/bench/against/side.ts'))) {
    console.error(`${folder} is no checkout that has "test/bench/against/side.ts".`)
    process.exitCode = 2
    return
  }

  const pace = paceOf(0.7)
  console.log(`${machine()}\n\n${headAgainst}`)

  for (const row of chosen)
    try {
      for (const line of await compareRow(row, pace, folder)) console.log(line)
    } catch (error) {
      console.error(`${row} is not compared: ${(error as Error).message}.`)
      process.exitCode = 1
    }
}

async function main(): Promise<void> {
  if (values.profile) process.env.STEMMA_BENCH_PROFILE = values.profile
  const pace = paceOf(1)
  const about = machine()
  const measured: (Figure & {
    row: string
    ratio?: number | undefined
    met?: boolean | undefined
  })[] = []
  const failed: string[] = []

  console.log(`${about}\n\n${head}`)
  const started = performance.now()

  for (const row of chosen) {
    try {
      for (const figure of await rows[row]!(pace)) {
        measured.push({ row, ...figure, ratio: ratioOf(figure), met: isMet(figure) })
        console.log(line(row, figure))
      }
    } catch (error) {
      failed.push(
        `${row} is not measured: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  const seconds = Math.round((performance.now() - started) / 1000)
  const missed = measured.filter(figure => figure.met === false).length

  console.log(`\n${measured.length} figures in ${seconds} s, ${missed} targets missed.`)
  for (const each of failed) console.log(each)

  if (values.json)
    writeFileSync(
      values.json,
      `${JSON.stringify({ machine: about, seconds, measured, failed }, null, 2)}\n`,
    )

  if (failed.length > 0) process.exitCode = 1
}

const unknown = positionals.find(name => !(name in rows))
if (values.help) console.log(usage)
else if (values.list) console.log(Object.keys(rows).join('\n'))
else if (unknown !== undefined) {
  console.error(`There is no row "${unknown}". The rows: ${Object.keys(rows).join(', ')}.`)
  process.exitCode = 2
} else if (values.against) await compare(values.against)
else await main()
