import { type FunctionNode, type SelectModifierNode, SqliteQueryCompiler } from 'kysely'

/**
 * Writes queries as SQLite reads them: without what `dialect.ts` has for several nodes, because one
 * node has one transaction that writes at a time.
 */
export class Compiler extends SqliteQueryCompiler {
  protected override visitFunction(node: FunctionNode): void {
    if (node.func === 'shared_time') this.compileList(node.arguments)
    else if (node.func === 'is_settled') this.append('true')
    else super.visitFunction(node)
  }

  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node)
  }
}
