"""Generated graphs: their questions can be read, and each is answered by the walk that it was made of."""

import numpy as np

from goalmem.graph.arrays import ArrayGraph
from goalmem.io.triples_files import graph_file
from goalmem_lab.evals.kgqa_data import read_metaqa, topic_of
from goalmem_lab.train.arg_paths import shortest_paths
from goalmem_lab.train.graph_world import written


def test_every_question_names_its_topic_and_has_answers_in_the_graph(tmp_path):
    files = written(tmp_path / "a", (1, 2), 20, 7)
    graph = ArrayGraph(graph_file(tmp_path / "a" / "kb.txt").entries())
    for hops, file in enumerate(files, 1):
        for question in read_metaqa(file):
            found = topic_of(graph, question)
            assert found is not None
            answers = [node for name in question.answers for node in graph.named(name)]
            paths = shortest_paths(graph, found[0], np.unique(answers), depth=hops, keep=1)
            assert paths


def test_the_same_seed_gives_the_same_files(tmp_path):
    one, other = (written(tmp_path / name, (1,), 5, 3)[0] for name in "ab")
    assert one.read_bytes() == other.read_bytes()
