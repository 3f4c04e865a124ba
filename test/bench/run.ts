import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Figure, isMet, type Pace, ratioOf } from './figure.ts'
import { head, line, machine } from './report.ts'
import { comments } from './rows/comments.ts'
import { comparisonsRow } from './rows/comparisons.ts'
import { edit } from './rows/edit.ts'
import { editors } from './rows/editors.ts'
import { firstRead } from './rows/first-read.ts'
import { gitRow } from './rows/git.ts'
import { history } from './rows/history.ts'
import { importRow } from './rows/import.ts'
import { links } from './rows/links.ts'
import { memory } from './rows/memory.ts'
import { mergeRow } from './rows/merge.ts'
import { openapiRow } from './rows/openapi.ts'
import { packedRow } from './rows/pages/packed.ts'
import { pageKindsRow } from './rows/pages/page-kinds.ts'
import { pageList } from './rows/pages/page-list.ts'
import { pageRead } from './rows/pages/page-read.ts'
import { pageReadEdited } from './rows/pages/page-read-edited.ts'
import { pdf } from './rows/pdf.ts'
import { permissionCheck } from './rows/permission-check.ts'
import { postgres } from './rows/postgres.ts'
import { postgresNodes } from './rows/postgres-nodes.ts'
import { rename } from './rows/rename.ts'
import { scale } from './rows/scale.ts'
import { search } from './rows/search.ts'
import { site, siteLarge, siteMarks, siteReaders } from './rows/site.ts'
import { siteRead, siteSearch, sitesRow } from './rows/sites.ts'
import { spaceList } from './rows/space-list.ts'
import { start } from './rows/start.ts'
import { workbench } from './rows/workbench.ts'
import { searchQuality } from './site/search/search-quality.ts'

/** Every row by its name, in the order of the table. */
const rows: Record<string, (pace: Pace) => Promise<Figure[]>> = {
  'page-read': pageRead,
  'page-read-edited': pageReadEdited,
  'page-list': pageList,
  packed: packedRow,
  'first-read': firstRead,
  edit,
  rename,
  merge: mergeRow,
  editors,
  import: importRow,
  git: gitRow,
  history,
  links,
  memory,
  comments,
  scale,
  search,
  'search-quality': searchQuality,
  'space-list': spaceList,
  sites: sitesRow,
  site,
  'site-large': siteLarge,
  'site-marks': siteMarks,
  'site-readers': siteReaders,
  'page-kinds': pageKindsRow,
  comparisons: comparisonsRow,
  'site-read': siteRead,
  'site-search': siteSearch,
  workbench,
  'permission-check': permissionCheck,
  pdf,
  openapi: openapiRow,
  start,
  postgres,
  'postgres-nodes': postgresNodes,
}

const usage = `npm run bench -- [row ...] [--list] [--short] [--json FILE] [--profile FOLDER]

  --list     prints the names of the rows
  --short    few and short rounds, to check the bench itself; the figures are meaningless
  --json     also writes the figures to a file
  --profile  the server writes a CPU profile to this folder on exit, which slows it down`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean' },
    short: { type: 'boolean' },
    json: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean' },
  },
})

async function main(): Promise<void> {
  if (values.profile) process.env.STEMMA_BENCH_PROFILE = values.profile
  const pace = values.short ? { rounds: 2, seconds: 0.4 } : { rounds: 5, seconds: 1 }
  const about = machine()
  const measured: (Figure & {
    row: string
    ratio?: number | undefined
    met?: boolean | undefined
  })[] = []
  const failed: string[] = []

  console.log(`${about}\n\n${head}`)
  const started = performance.now()

  for (const [row, measure] of Object.entries(rows)) {
    if (positionals.length > 0 && !positionals.includes(row)) continue
    try {
      for (const figure of await measure(pace)) {
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
} else await main()
