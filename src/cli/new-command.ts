import { Command, Help, type Option } from 'commander'

/** A subcommand: what it does, an example for its help, and usage errors that are thrown. */
export const newCommand = (name: string, about: string, example: string): Command =>
  new Command(name)
    .description(about)
    .configureHelp({ optionDescription })
    .addHelpText('after', `\nExample:\n  ${example}`)
    .exitOverride()

/** The same for a command with a result: `--json` prints it as JSON. */
export const newQuery = (name: string, about: string, example: string): Command =>
  newCommand(name, about, example).option('--json', 'print the result as JSON')

/** A command that only has subcommands. */
export function newGroup(name: string, about: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(about).exitOverride()
  for (const command of commands) group.addCommand(command)
  return group
}

const help = new Help()

/** As Commander says it, and which options must be given. */
const optionDescription = (option: Option): string =>
  help.optionDescription(option) + (option.mandatory ? ' (required)' : '')
