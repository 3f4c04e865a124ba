import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { type Figure, isMet, ratioOf, type Target } from './figure.ts'

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

const targetOf = ({ of, is, value }: Target, unit: string): string =>
  of === 'ratio' ? `${is} ${value} times` : `${is} ${number(value)} ${unit}`

/** Describes the machine in one line. */
export function machine(): string {
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' })
    .trim()
    .replace('git version', 'git')
  const load = loadavg()[0]!.toFixed(1)
  return `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores, load ${load} before, Node ${process.versions.node}, ${git}, ${new Date().toISOString().slice(0, 10)}`
}

/** The head of the table. */
export const head = [
  '| work | figure | reference in the same run | ratio | target | met |',
  '|---|--:|---|--:|---|---|',
].join('\n')

/** Formats a figure as a row of the table. */
export function line(row: string, figure: Figure): string {
  const { work, value, unit, reference, target, note } = figure
  const ratio = ratioOf(figure)
  const met = isMet(figure)
  const cells = [
    `${row}: ${work}${note === undefined ? '' : ` (${note})`}`,
    `${number(value)} ${unit}`,
    reference ? `${reference.what}: ${number(reference.value)} ${unit}` : '',
    ratio === undefined ? '' : ratio.toFixed(2),
    target ? targetOf(target, unit) : '',
    met === undefined ? '' : met ? 'yes' : '**no**',
  ]

  return `| ${cells.join(' | ')} |`
}
