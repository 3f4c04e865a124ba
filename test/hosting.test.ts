import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { settingNames } from '../src/config.ts'
import { skip } from './support/skip.ts'

const unit = 'hosting/stemma.service'
const analyze = '/usr/bin/systemd-analyze'

/** Runs systemd-analyze, and returns both outputs. */
const analyzed = (...args: string[]): string =>
  execFileSync(analyze, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

test('the unit of the service exposes little', () => {
  if (!existsSync(analyze)) return skip('systemd is not installed')
  const report = analyzed('security', '--offline=true', '--no-pager', unit)
  const [, exposure] = /Overall exposure level for stemma\.service: ([\d.]+)/.exec(report) ?? []
  assert.ok(Number(exposure) <= 3, report)
})

test('the settings of the service are settings', () => {
  const lines = readFileSync('hosting/stemma.env', 'utf8').split('\n').filter(Boolean)
  const names = lines.filter(line => !line.startsWith('#')).map(line => line.split('=')[0] ?? '')
  assert.ok(names.length > 0)
  for (const name of names) assert.ok(settingNames.includes(name), name)
})

test('the unit, the command and the manual name the same places', () => {
  const manual = readFileSync('docs/installation.md', 'utf8')
  const service = readFileSync(unit, 'utf8')
  const command = readFileSync('hosting/stemma', 'utf8')

  for (const place of ['/etc/stemma.env', '/opt/stemma'])
    for (const text of [service, command, manual]) assert.ok(text.includes(place), place)
  for (const file of ['compose.yaml', 'stemma', 'stemma.env', 'stemma.service'])
    assert.ok(manual.includes(`hosting/${file}`) && existsSync(`hosting/${file}`), file)
})

test('the units of the backup are sound, and the manual installs them', () => {
  const files = ['hosting/stemma-backup.service', 'hosting/stemma-backup.timer']
  const manual = readFileSync('docs/first-week.md', 'utf8')
  for (const file of files) assert.ok(manual.includes(file), file)
  if (!existsSync(analyze)) return skip('systemd is not installed')
  assert.is(analyzed('verify', '--man=no', ...files), '')
})

test('the manual shows the job as it is', () => {
  const manual = readFileSync('docs/ci.md', 'utf8')
  assert.ok(manual.includes(`\`\`\`sh\n${readFileSync('hosting/docs-job.sh', 'utf8')}\`\`\``))
})

test.run()
