import { program } from '../src/cli/program.ts'

await program().parseAsync()
