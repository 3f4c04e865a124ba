import type { Command } from 'commander'
import { countFindings } from '../../content/findings/count.ts'
import {
  countedFindings,
  type Finding,
  findingKinds,
  severities,
} from '../../content/findings/kinds.ts'
import { exitFailed, exitUsage, Failure } from '../output/failure.ts'
import { counted, oneLine, print, printJson } from '../output/print.ts'
import { readFindings } from '../source/read-findings.ts'
import { newQuery } from './new-command.ts'

type Options = { failOn?: string; json?: true }

const about =
  'List what is not understood in a folder of documentation, or leads nowhere: the file and line, what it is, and what to write instead. The files are those that "stemma publish" sends. Needs no server and changes nothing.'

/** Defines `stemma check`: the findings of a folder, for people and for CI. */
export const checkCommand = (): Command =>
  newQuery('check', about, 'stemma check ./docs --fail-on error')
    .summary('List what is not understood in a folder, or leads nowhere')
    .argument('[folder]', 'the folder of the documentation', '.')
    .option(
      '--fail-on <what>',
      'end with status 1 if there are findings of this severity or a worse one (error, warning, info), or of these kinds, separated by commas',
    )
    .action(check)

async function check(folder: string, { failOn, json }: Options): Promise<void> {
  // A wrong option ends the command before its work.
  const fails = failOn === undefined ? () => false : failing(failOn)
  const findings = await readFindings(folder)
  const failed = findings.filter(fails).length

  if (json) printJson({ counts: countFindings(findings), findings })
  else {
    for (const each of findings) print(oneLine(lineOf(each)))
    for (const line of countLines(findings)) process.stderr.write(`${line}\n`)
  }

  if (failed > 0)
    throw new Failure(
      json ? '' : `${counted(failed, 'finding')} of "--fail-on ${failOn}".`,
      exitFailed,
    )
}

function lineOf({ file, line, kind, severity, message, advice }: Finding): string {
  const place = [file, line].filter(part => part !== undefined).join(':')
  return `${place === '' ? '' : `${place}: `}${severity} ${kind}: ${message} ${advice}`
}

function countLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ['No findings.']
  const counts = countFindings(findings)
  return findingKinds.flatMap(kind => {
    const count = counts[kind]
    return count === undefined ? [] : [`${kind}: ${countedFindings(kind, count)}`]
  })
}

/**
 * Returns a function that tells whether a finding is one of those that an option names. Throws
 * Failure for other words.
 */
function failing(option: string): (finding: Finding) => boolean {
  const words = option.split(',').map(word => word.trim())
  const order: readonly string[] = severities
  const known = new Set([...order, ...findingKinds])
  const unknown = words.find(word => !known.has(word))
  if (unknown !== undefined)
    throw new Failure(
      `"--fail-on" takes ${severities.join(', ')} or kinds of findings, not "${oneLine(unknown)}". The kinds are ${findingKinds.join(', ')}.`,
      exitUsage,
    )

  const severe = words.flatMap(word => severities.slice(0, order.indexOf(word) + 1))

  return ({ kind, severity }) => severe.includes(severity) || words.includes(kind)
}
