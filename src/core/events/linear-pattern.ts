import { PatternParser, PatternProblem, isWord } from './pattern-parser.ts';
import type { Anchor, PatternNode, Test } from './pattern-parser.ts';

/** A pattern whose matching takes time linear in the text, never more than text length × pattern size steps. */
export interface LinearPattern {
  readonly source: string;
  /** Whether the pattern matches anywhere in the text; letter case is ignored. */
  test(text: string): boolean;
}

export type PatternResult =
  { readonly ok: true; readonly pattern: LinearPattern } | { readonly ok: false; readonly problem: string };

/** More would make rules a program; the automaton's size is bounded by it. */
const MOST_STATES = 1000;

type Edge =
  | { readonly type: 'char'; readonly test: Test; readonly to: number }
  | { readonly type: 'empty'; readonly to: number }
  | { readonly type: 'anchor'; readonly anchor: Anchor; readonly to: number };
/**
 * Compiles a regular expression to a non-deterministic automaton that is run breadth-first (K. Thompson, "Regular
 * Expression Search Algorithm", CACM 11(6), 1968), so that no input makes it hang and no timer is needed. Understands
 * literals, `.`, classes, `\d \w \s \b` and their opposites, `\p{L}`-free escapes, groups, `|`, `* + ? {m,n}` (lazy marks
 * are read and mean the same here), `^ $`. Look-around and back-references cannot be run that way and are refused with a reason.
 */
export function compilePattern(source: string): PatternResult {
  try {
    const edges: Edge[][] = [];
    const root = new PatternParser(source).parse();
    const accept = newState();
    const start = build(root, accept);
    return { ok: true, pattern: { source, test: (text) => run(edges, start, accept, text) } };

    function newState(): number {
      if (edges.length >= MOST_STATES) throw new PatternProblem('the pattern is too large');
      edges.push([]);
      return edges.length - 1;
    }
    /** Builds backwards: gives the state from which `node` and then `next` is matched. */
    function build(node: PatternNode, next: number): number {
      switch (node.type) {
        case 'char': {
          const state = newState();
          edges[state]!.push({ type: 'char', test: node.test, to: next });
          return state;
        }
        case 'anchor': {
          const state = newState();
          edges[state]!.push({ type: 'anchor', anchor: node.anchor, to: next });
          return state;
        }
        case 'seq':
          return node.parts.reduceRight((after, part) => build(part, after), next);
        case 'alt': {
          const state = newState();
          for (const part of node.parts) edges[state]!.push({ type: 'empty', to: build(part, next) });
          return state;
        }
        case 'repeat': {
          let after = next;
          if (node.most === Infinity) {
            const loop = newState();
            edges[loop]!.push({ type: 'empty', to: build(node.part, loop) }, { type: 'empty', to: next });
            after = loop;
          } else {
            for (let i = node.least; i < node.most; i++) {
              const state = newState();
              edges[state]!.push({ type: 'empty', to: build(node.part, after) }, { type: 'empty', to: next });
              after = state;
            }
          }
          for (let i = 0; i < node.least; i++) after = build(node.part, after);
          return after;
        }
      }
    }
  } catch (error) {
    if (error instanceof PatternProblem) return { ok: false, problem: error.message };
    throw error;
  }
}

function run(edges: readonly (readonly Edge[])[], start: number, accept: number, text: string): boolean {
  const marked = new Int32Array(edges.length).fill(-1);
  let current: number[] = [];
  let next: number[] = [];
  for (let at = 0; at <= text.length; at++) {
    // A match may begin anywhere: the start state joins at each step.
    close(start, at, current);
    for (const state of current) {
      if (state === accept) return true;
      if (at === text.length) continue;
      for (const edge of edges[state]!) {
        if (edge.type === 'char' && edge.test(text.charCodeAt(at))) next.push(edge.to);
      }
    }
    const waiting = next;
    next = [];
    current = [];
    for (const state of waiting) close(state, at + 1, current);
  }
  return current.includes(accept);

  function close(from: number, at: number, into: number[]): void {
    const stack = [from];
    while (stack.length > 0) {
      const state = stack.pop()!;
      if (marked[state] === at) continue;
      marked[state] = at;
      into.push(state);
      for (const edge of edges[state]!) {
        if (edge.type === 'empty' || (edge.type === 'anchor' && holds(edge.anchor, text, at))) stack.push(edge.to);
      }
    }
  }
}

function holds(anchor: Anchor, text: string, at: number): boolean {
  const left = at > 0 && isWord(text.charCodeAt(at - 1));
  const right = at < text.length && isWord(text.charCodeAt(at));
  switch (anchor) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'boundary':
      return left !== right;
    case 'inside':
      return left === right;
  }
}
