import type { Element, Nodes, Root } from 'hast';
import {
  classesOf,
  elementChildren,
  elementsOf,
  isElement,
  labelOf,
  lineOf,
  propertyOf,
} from './hast.ts';

/** The tabs that stand before panels, in their order. */
interface Scope {
  labels: string[];
  /** How many of them have a panel. */
  used: number;
}

const LIST = / (?:tabbed-labels|nav-tabs|tabs-nav|tab-list|tabs__list|tabs-list) /;
const PANEL = / (?:tab-?pane|tab-?panel|tabbed-block|sd-tab-content) /;
/** A label that stands before its panel. */
const SINGLE = / (?:sd-tab-label|tab-label) /;
const MAX_LABEL = 200;

/** Puts the label of each tab in front of its panel, and drops the list of tabs. */
export function labelTabs(root: Root): void {
  const all = elementsOf(root);
  const panels = new Map<string, Element>();
  const tabs = new Map<string, Element>();
  for (const node of all) {
    const id = propertyOf(node, 'id');
    if (id === undefined) continue;
    if (isPanel(node)) panels.set(id, node);
    if (node.properties.role === 'tab') tabs.set(id, node);
  }
  const labelled = new Map<Element, string>();
  for (const node of all) {
    if (node.properties.role !== 'tab') continue;
    const target =
      propertyOf(node, 'ariaControls') ?? propertyOf(node, 'href')?.replace(/^#/, '') ?? '';
    const panel = panels.get(target);
    if (panel !== undefined) labelled.set(panel, lineOf(node));
  }
  for (const panel of panels.values()) {
    const tab = tabs.get(propertyOf(panel, 'ariaLabelledBy') ?? '');
    if (tab !== undefined) labelled.set(panel, lineOf(tab));
  }
  walk(root, { labels: [], used: 0 }, labelled);
}

function walk(parent: Nodes, scope: Scope, labelled: ReadonlyMap<Element, string>): void {
  if (!('children' in parent)) return;
  for (const child of elementChildren(parent)) {
    const classes = classesOf(child);
    if (
      child.properties.role === 'tablist' ||
      LIST.test(classes) ||
      isGroupHead(parent, child, classes)
    ) {
      scope.labels = tabsIn(child);
      scope.used = 0;
      // A list of navigation is dropped where the document is cleaned.
      child.tagName = 'nav';
      child.children = [];
    } else if (child.tagName === 'label' && SINGLE.test(classes)) {
      scope.labels = [lineOf(child)];
      scope.used = 0;
      child.tagName = 'nav';
      child.children = [];
    } else if (
      isPanel(child) ||
      isGroupBlock(parent) ||
      (/ tab-content /.test(classes) && scope.used < scope.labels.length && !hasPanel(child))
    ) {
      const label = labelled.get(child) ?? scope.labels[scope.used];
      scope.used += 1;
      walk(child, { labels: [], used: 0 }, labelled);
      if (label) child.children.unshift(labelOf(`${label.slice(0, MAX_LABEL)}:`));
    } else walk(child, scope, labelled);
  }
}

function isPanel(node: Element): boolean {
  return node.properties.role === 'tabpanel' || PANEL.test(classesOf(node));
}

const hasPanel = (node: Element): boolean => elementChildren(node).some(isPanel);

/** Blocks of code under tabs, as VitePress shows them. */
const isGroupHead = (parent: Nodes, child: Element, classes: string): boolean =>
  isElement(parent) &&
  / vp-code-group /.test(classesOf(parent)) &&
  / tabs /.test(classes) &&
  child.tagName === 'div';
const isGroupBlock = (parent: Nodes): boolean =>
  isElement(parent) && / blocks /.test(classesOf(parent)) && parent.tagName === 'div';

function tabsIn(list: Element): string[] {
  const inner = elementsOf(list);
  const tabs = inner.filter(({ properties }) => properties.role === 'tab');
  const chosen =
    tabs.length > 0
      ? tabs
      : ['label', 'a', 'button', 'li']
          .map((name) => inner.filter((node) => node.tagName === name))
          .find((each) => each.length > 0);
  return (chosen ?? elementChildren(list)).map((tab) => lineOf(tab));
}

/** What a page hides until its reader opens it: panels of tabs, and what an accordion folds. */
export function revealedBy(root: Root): ReadonlySet<Element> {
  const ids = new Set<string>();
  for (const node of elementsOf(root)) {
    for (const name of ['ariaControls', 'dataBsTarget', 'dataTarget'])
      for (const id of propertyOf(node, name)?.split(' ') ?? []) ids.add(id.replace(/^#/, ''));
    const { role, dataToggle, dataBsToggle } = node.properties;
    const href = propertyOf(node, 'href');
    if (
      href?.startsWith('#') &&
      (role === 'tab' || role === 'button' || dataToggle || dataBsToggle)
    )
      ids.add(href.slice(1));
  }
  const revealed = new Set<Element>();
  /** Whether a node opens what follows it. */
  const visit = (parent: Nodes): boolean => {
    let opens = false;
    let isNext = false;
    for (const child of 'children' in parent ? elementChildren(parent) : []) {
      const { properties } = child;
      const isFolded = / (?:accordion\S*|collaps\S*|faq-?\S*|expand\S*|toggle-content) /.test(
        classesOf(child),
      );
      if (
        isNext ||
        isFolded ||
        isPanel(child) ||
        ids.has(propertyOf(child, 'id') ?? '') ||
        properties.hidden === 'until-found'
      )
        revealed.add(child);
      isNext = visit(child) || properties.ariaExpanded !== undefined;
      opens ||= isNext;
    }
    return opens;
  };
  visit(root);
  return revealed;
}
