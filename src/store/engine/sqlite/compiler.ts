import { type SelectModifierNode, SqliteQueryCompiler } from 'kysely'

/** Writes queries as SQLite reads them: without locks of rows, because one transaction writes at a time. */
export class Compiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}
