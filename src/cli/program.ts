import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { serveCommand } from './serve.ts'

const about = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

/** The command line: every subcommand with its options. */
export function program(): Command {
  const root = new Command('stemma').description(about.description).version(about.version)
  root.addCommand(serveCommand())
  return root
}
