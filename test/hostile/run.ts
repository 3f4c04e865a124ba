import { readOptions } from '../support/read-options.ts'
import { stopBeside } from './beside.ts'
import { type Line, NotHere } from './line.ts'
import { auditLines } from './lines/audit.ts'
import { commentLines } from './lines/comments.ts'
import { content } from './lines/content.ts'
import { expressionLines } from './lines/expressions.ts'
import { files } from './lines/files.ts'
import { backgroundLines } from './lines/git/background.ts'
import { branches } from './lines/git/branches.ts'
import { cloneMemory } from './lines/git/clone-memory.ts'
import { fetches } from './lines/git/fetches.ts'
import { histories } from './lines/git/histories.ts'
import { openings } from './lines/git/openings.ts'
import { packs } from './lines/git/packs.ts'
import { provenanceLines } from './lines/git/provenance.ts'
import { pushRaces } from './lines/git/push-races.ts'
import { pushRights } from './lines/git/push-rights.ts'
import { pushes } from './lines/git/pushes.ts'
import { queues } from './lines/git/queues.ts'
import { remotes } from './lines/git/remotes.ts'
import { trees } from './lines/git/trees.ts'
import { addresses } from './lines/http/addresses.ts'
import { bodies } from './lines/http/bodies.ts'
import { ids } from './lines/http/ids.ts'
import { intake } from './lines/http/intake.ts'
import { load } from './lines/http/load.ts'
import { nowhere } from './lines/http/nowhere.ts'
import { protocol } from './lines/http/protocol.ts'
import { storms } from './lines/http/storms.ts'
import { unreadLines } from './lines/http/unread.ts'
import { workLines } from './lines/http/work.ts'
import { integrationLines } from './lines/integrations.ts'
import { linkLines } from './lines/links.ts'
import { openapiLines } from './lines/openapi.ts'
import { operatorLines } from './lines/operator.ts'
import { pageAddressLines } from './lines/pages/addresses.ts'
import { pageCostLines } from './lines/pages/costs.ts'
import { pageHeaderLines } from './lines/pages/headers.ts'
import { pageTextLines } from './lines/pages/texts.ts'
import { pageVisitorLines } from './lines/pages/visitors.ts'
import { pdfLines } from './lines/pdf.ts'
import { guardLines } from './lines/people/guards.ts'
import { memberLines } from './lines/people/members.ts'
import { permissionLines } from './lines/people/permissions.ts'
import { reviewLines } from './lines/people/reviews.ts'
import { rightsLines } from './lines/people/rights.ts'
import { sessionLines } from './lines/people/sessions.ts'
import { teamLines } from './lines/people/teams.ts'
import { tokenLimitLines } from './lines/people/token-limits.ts'
import { tokens } from './lines/people/tokens.ts'
import { searchLines } from './lines/search.ts'
import { siteAddressLines } from './lines/sites/addresses.ts'
import { siteConditionLines } from './lines/sites/conditions.ts'
import { siteCrowdLines } from './lines/sites/crowds.ts'
import { siteHostLines } from './lines/sites/hosts.ts'
import { readingTokenLines } from './lines/sites/reading-tokens.ts'
import { siteRedirectLines } from './lines/sites/redirects.ts'
import { shareLinkLines } from './lines/sites/share-links.ts'
import { siteStructureLines } from './lines/sites/structure.ts'
import { visitorTokenLines } from './lines/sites/visitor-tokens.ts'
import { accountLines } from './lines/sso/accounts.ts'
import { assertionLines } from './lines/sso/assertions.ts'
import { documentLines } from './lines/sso/documents.ts'
import { oidcLines } from './lines/sso/oidc.ts'
import { signatureLines } from './lines/sso/signatures.ts'
import { workLines as signInWorkLines } from './lines/sso/work.ts'
import { storage } from './lines/storage.ts'
import { templateLines } from './lines/templates.ts'
import { webhookLines } from './lines/webhooks.ts'
import { workbenchLines } from './lines/workbench.ts'
import { prepare } from './prepare.ts'
import { placesWithSecrets } from './secrets.ts'
import { forgetPeak, openStage, peakOf, type Stage } from './stage.ts'
import { measureWaits } from './waits.ts'

const mostMegabytes = 512

/**
 * The allowance for a slow disk and for work beside the main thread, on top of the work itself, in
 * milliseconds.
 */
const mostDisk = 1_000

const usage = `npm run test:hostile -- [--quick | --slow] [--rights] [--only ID,ID] [--half 1] [--log]

  --quick  without the lines that take long or much memory
  --slow   those alone
  --rights the lines about who may do what
  --only   the lines of these ids, such as A16 or C8
  --half   every second line, from the first (1) or the second one (2)
  --log    prints what the server logs

With TEST_DATABASE=postgres, the servers have their rows and repositories in a database.`

const values = readOptions(usage, {
  only: { type: 'string' },
  half: { type: 'string' },
  quick: { type: 'boolean' },
  rights: { type: 'boolean' },
  slow: { type: 'boolean' },
  log: { type: 'boolean' },
})
const all = [
  ...tokens,
  ...bodies,
  ...ids,
  ...protocol,
  ...files,
  ...content,
  ...trees,
  ...addresses,
  ...branches,
  ...remotes,
  ...packs,
  ...histories,
  ...queues,
  ...fetches,
  ...cloneMemory,
  ...pushes,
  ...pushRaces,
  ...pushRights,
  ...openings,
  ...load,
  ...storms,
  ...unreadLines,
  ...storage,
  ...provenanceLines,
  ...searchLines,
  ...expressionLines,
  ...linkLines,
  ...commentLines,
  ...reviewLines,
  ...memberLines,
  ...teamLines,
  ...permissionLines,
  ...rightsLines,
  ...pdfLines,
  ...webhookLines,
  ...workbenchLines,
  ...auditLines,
  ...openapiLines,
  ...templateLines,
  ...workLines,
  ...backgroundLines,
  ...tokenLimitLines,
  ...sessionLines,
  ...guardLines,
  ...intake,
  ...operatorLines,
  ...siteAddressLines,
  ...siteRedirectLines,
  ...siteHostLines,
  ...siteStructureLines,
  ...siteCrowdLines,
  ...shareLinkLines,
  ...visitorTokenLines,
  ...readingTokenLines,
  ...siteConditionLines,
  ...pageAddressLines,
  ...pageHeaderLines,
  ...pageVisitorLines,
  ...pageTextLines,
  ...pageCostLines,
  ...integrationLines,
  ...signatureLines,
  ...documentLines,
  ...signInWorkLines,
  ...assertionLines,
  ...accountLines,
  ...oidcLines,
  ...nowhere,
]
const ofRights: readonly Line[] = [
  ...tokens,
  ...pushRights,
  ...memberLines,
  ...teamLines,
  ...permissionLines,
  ...rightsLines,
  ...tokenLimitLines,
  ...sessionLines,
  ...guardLines,
  ...nowhere,
]
const only = values.only?.split(',')
const chosen = (values.rights ? ofRights : all).filter(({ id, slow }) =>
  only ? only.includes(id) : values.slow ? slow : !(slow && values.quick),
)
const half = values.half === undefined ? undefined : Number(values.half) % 2
const lines = half === undefined ? chosen : chosen.filter((_, at) => at % 2 !== half)

/** Internals of the program, which no answer may contain. */
const insides =
  /\n\s+at |node_modules|node:internal|\/src\/|\.[jt]s:\d|SQLITE_|GitError|TypeError|RangeError|stemma-hostile/

// Stop the servers with the run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const failures: string[] = []
let passed = 0
let skipped = 0
const started = performance.now()
const stage = await openStage()
const waits = measureWaits(stage)
try {
  await prepare(stage)
  for (const line of lines) await check(line)
  checkSecrets(stage)
} finally {
  waits.end()
  await stopBeside()
  await stage.stop()
}
const seconds = Math.round((performance.now() - started) / 1000)
if (failures.length > 0)
  console.log(`\nFailed:\n${failures.map(failure => `  ${failure}`).join('\n')}`)
console.log(`\n${lines.length} of ${all.length} lines in ${seconds} s`)
console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`)
// A server of PostgreSQL ends with this process.
process.exit(failures.length > 0 || passed === 0 ? 1 : 0)

async function check(line: Line): Promise<void> {
  if (line.skipped !== undefined) {
    skipped++
    console.log(`skip ${line.id.padEnd(4)} ${line.input}: skipped: ${line.skipped}`)
    return
  }

  forgetPeak(stage.pid)
  const held = stage.alive() ? peakOf(stage.pid) : 0
  await waits.longest()
  const begun = performance.now()
  const problems: string[] = []

  try {
    // The quick part runs next to other tests on small machines: its limits only end lines that hang.
    const seen = await Promise.race([line.send(stage), late(line.mostMs * (values.quick ? 10 : 1))])
    if (!line.status.split('|').includes(String(seen.status)))
      problems.push(`got ${seen.status}: ${seen.text.slice(0, 300)}`)
    const { effect } = line
    if (effect instanceof RegExp && !effect.test(seen.text))
      problems.push(`does not say ${effect}: ${seen.text.slice(0, 300)}`)
    const leak = insides.exec(seen.text)
    if (leak) problems.push(`shows our insides: ${seen.text.slice(leak.index, leak.index + 100)}`)
  } catch (error) {
    if (error instanceof NotHere) {
      skipped++
      console.log(`skip ${line.id.padEnd(4)} ${line.input}: skipped: ${error.message}`)
      return
    }
    problems.push(
      error instanceof Error ? (process.env.TRACE && error.stack) || error.message : String(error),
    )
  }

  const ms = Math.round(performance.now() - begun)
  const { wait, busy } = await waits.longest()
  if (!stage.alive()) problems.push('the server is dead')

  const peak = stage.alive() ? Math.round(peakOf(stage.pid)) : 0
  const waited = `others waited ${Math.round(wait)} ms, ${Math.round(busy)} of them for work`

  // The quick part runs next to other tests on small machines, where waits mean nothing.
  if (!values.quick && (busy > line.mostWait || wait > line.mostWait + mostDisk))
    problems.push(waited)
  if (peak > Math.max(mostMegabytes, held + 10)) problems.push(`${peak} MB of memory`)

  const said = line.effect instanceof RegExp ? `says ${line.effect}` : line.effect
  const cost = `(${ms} ms${wait > 200 ? `, ${waited}` : ''}, ${peak} MB)`

  console.log(
    `${problems.length ? 'FAIL' : 'ok  '} ${line.id.padEnd(4)} ${line.input} → ${line.status}, ${said} ${cost}`,
  )
  for (const problem of problems) console.log(`       ${problem}`)
  if (problems.length === 0) passed++
  else failures.push(`${line.id} ${line.input}: ${problems[0]}`)
  if (!stage.alive()) await stage.restart()
}

function late(ms: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no end after ${ms} ms`)), ms).unref()
  })
}

/** Asserts that no secret is in a file of the data folder or in the server's output. */
function checkSecrets(stage: Stage): void {
  if (values.log) console.log(stage.log())
  const held = placesWithSecrets(stage)
  const what = '1.5  no planted secret in any file of the data folder or in the log'
  console.log(`${held.length ? 'FAIL' : 'ok  '} ${what}`)
  if (held.length) failures.push(`${what}: ${held.join(', ')}`)
  else passed++
}
