// SPDX-License-Identifier: Apache-2.0
//
// The members that plans set, compared with the members that shaders read.
#include "primitives/plan/PushConstants.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "primitives/dense/CholeskyPlan.hpp"
#include "primitives/dense/LuPlan.hpp"
#include "primitives/dense/QrPlan.hpp"
#include "primitives/dense/SolvePlan.hpp"
#include "primitives/matrices/MatMulPlan.hpp"
#include "primitives/move/IndexedPlan.hpp"
#include "primitives/move/MovePlan.hpp"
#include "primitives/random/RandomPlan.hpp"
#include "primitives/reduce/HistogramPlan.hpp"
#include "primitives/reduce/ReducePlan.hpp"
#include "primitives/scan/ScanPlan.hpp"
#include "primitives/select/SelectPlan.hpp"
#include "primitives/sort/SearchPlan.hpp"
#include "primitives/sort/SortPlan.hpp"
#include "primitives/sort/TopKPlan.hpp"
#include "primitives/source/Source.hpp"
#include "primitives/sparse/SparsePlan.hpp"
#include "primitives/spectral/EighPlan.hpp"
#include "primitives/spectral/SvdPlan.hpp"
#include "primitives/transforms/FftPlan.hpp"
#include "shader/reflect/Reflection.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

DeviceTraits cpu() {
    DeviceTraits traits = largeDevice();
    traits.isNvidia = traits.subgroups = traits.memoryModel = false;
    traits.isCpu = true;
    traits.maxViewBytes = uint64_t{1} << 27;
    return traits;
}

class PushConstants : public ::testing::Test {
protected:
    /// Expects that each kernel of a plan begins with a word for each view, and then has the
    /// members that its dispatches set: their names, types and offsets.
    void expectDeclared(const Plan& plan) {
        for (const Dispatch& dispatch : dispatchesOf(plan))
            expectDeclared(plan.kernels.at(dispatch.kernel), dispatch);
    }

    std::set<const PushMember*> met; ///< the tables of the structs

private:
    void expectDeclared(const Kernel& kernel, const Dispatch& dispatch) {
        if (dispatch.isExact() || !compared.insert(kernel.source).second)
            return;
        SCOPED_TRACE(kernel.name);
        ASSERT_FALSE(dispatch.pushMembers.empty());
        met.insert(dispatch.pushMembers.data());
        const shader::Reflection found = reflect(compileKernel(kernel, {}));
        const size_t views = dispatch.views.size();
        EXPECT_EQ(found.pushConstantSize, (views + dispatch.push.size()) * sizeof(uint32_t));
        EXPECT_LE(found.pushConstantSize, 128u) << "the most that every device allows";
        ASSERT_GE(found.pushConstants.size(), views + dispatch.pushMembers.size());
        for (size_t i = 0; i < views; ++i)
            EXPECT_EQ(found.pushConstants[i].name.rfind("first", 0), 0u)
                << found.pushConstants[i].name;
        uint64_t offset = views * sizeof(uint32_t);
        for (size_t i = 0; i < dispatch.pushMembers.size(); ++i) {
            const PushMember& set = dispatch.pushMembers[i];
            const shader::Member& read = found.pushConstants[views + i];
            EXPECT_EQ(read.name, set.name);
            EXPECT_EQ(read.offset, offset) << set.name;
            EXPECT_EQ(read.size, set.bytes) << set.name;
            EXPECT_EQ(read.type, set.type == "uint"    ? shader::ScalarType::eUint32
                                 : set.type == "float" ? shader::ScalarType::eFloat32
                                                       : shader::ScalarType::eStruct)
                << set.name;
            offset += set.bytes;
        }
    }

    std::set<std::string> compared;
};

size_t blocksOfShaders() {
    size_t blocks = 0;
    const std::filesystem::path folder = KOMPUTE_SOURCE_FOLDER "/shaders/primitives";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const std::string code = text.str();
        for (size_t at = code.find("layout(push_constant)"); at != std::string::npos;
             at = code.find("layout(push_constant)", at + 1))
            ++blocks;
    }
    return blocks;
}

SortProblem sortOf(uint64_t count, uint32_t valueBytes = 0) {
    SortProblem problem;
    problem.count = count;
    problem.valueBytes = valueBytes;
    return problem;
}

SelectProblem selectOf(uint64_t count) {
    SelectProblem problem;
    problem.count = problem.outCount = problem.lengthCount = count;
    problem.arguments = 7;
    problem.flags = 1;
    problem.out = 2;
    problem.number = 3;
    problem.dispatch = 4;
    return problem;
}

TEST_F(PushConstants, OfEveryShaderAreTheMembersThatPlansSet) {
    const DeviceTraits gpu = largeDevice();
    DeviceTraits smallViews = gpu;
    smallViews.maxViewBytes = 1 << 16;

    for (const DeviceTraits& traits : {gpu, cpu()}) {
        for (const bool segmented : {false, true}) {
            ReduceProblem reduce;
            reduce.length = 100000;
            ScanProblem scan;
            scan.outer = segmented ? 1 : 3;
            scan.length = 100000;
            if (segmented)
                reduce.segments = scan.segments = Segments{100};
            expectDeclared(planReduce(reduce, traits));
            expectDeclared(planScan(scan, traits));
            if (segmented)
                continue;
            reduce.inner = scan.inner = 50;
            expectDeclared(planReduce(reduce, traits));
            expectDeclared(planScan(scan, traits));
        }
        for (const bool ofPredicate : {false, true})
            for (const SelectWay way :
                 {SelectWay::eLookBack, SelectWay::eThreeDispatches, SelectWay::eAlone}) {
                SelectProblem problem = selectOf(100000);
                if (ofPredicate) {
                    problem.choice = SelectProblem::Choice::ePredicate;
                    problem.predicate = "x > 0.0";
                }
                SelectRules rules = SelectRules::of(problem, traits);
                rules.way = way;
                expectDeclared(planSelect(problem, traits, rules));
            }
        SelectProblem runs = selectOf(100000);
        runs.choice = SelectProblem::Choice::eHeads;
        runs.lengths = 5;
        runs.inverse = 6;
        expectDeclared(planSelect(runs, traits));
    }
    ScanProblem tiles;
    tiles.length = 100000;
    expectDeclared(planScan(tiles, gpu));
    expectDeclared(planScan(tiles, smallViews));
    tiles.outer = 100;
    tiles.length = 1000;
    expectDeclared(planScan(tiles, gpu));

    for (const DeviceTraits& traits : {gpu, smallViews, cpu()})
        for (const uint32_t valueBytes : {0u, 4u})
            for (const uint64_t count : {1000u, 1u << 20}) {
                SortProblem problem = sortOf(count, valueBytes);
                expectDeclared(planSort(problem, traits));
                problem.rowLength = 500;
                expectDeclared(planSort(problem, traits));
                problem.rowLength = 50;
                expectDeclared(planSort(problem, traits));
                problem.rowLength = 0;
                problem.segments = Segments{20};
                if (traits.maxViewBytes >= count * sizeof(uint32_t)) // segments cannot be cut
                    expectDeclared(planSort(problem, traits));
            }
    TopKProblem top;
    top.array = {10, 100000, 1};
    top.k = 50;
    top.indexBytes = 4;
    expectDeclared(planTopK(top, gpu));
    expectDeclared(planTopK(top, cpu()));
    for (const bool counting : {false, true}) {
        SearchProblem search;
        search.sorted = search.needles = 1000;
        search.countingNeedles = counting;
        expectDeclared(planSearch(search, gpu));
    }

    for (const bool scatter : {false, true}) {
        IndexedProblem indexed;
        indexed.array = {2, 300, 5};
        indexed.indices = 100;
        indexed.scatter = scatter;
        expectDeclared(planIndexed(indexed, gpu));
    }
    MoveProblem move;
    Plan strided(2);
    move.axes = {{16, 800, 400}, {100, 4, 4}};
    planMove(strided, move, gpu);
    expectDeclared(strided);
    Plan transposed(2);
    move.axes = {{300, 4, 800}, {200, 1200, 4}};
    planMove(transposed, move, gpu);
    expectDeclared(transposed);

    RandomProblem random;
    random.count = 1000;
    random.distribution = Distribution::normal();
    expectDeclared(planRandom(random, gpu));
    expectDeclared(planRandom(random, cpu()));
    for (const bool weighted : {false, true}) {
        HistogramProblem histogram;
        histogram.count = 100000;
        histogram.kind = Bins::Kind::eEven;
        histogram.high = 1;
        histogram.bins = 100;
        histogram.weighted = weighted;
        histogram.out = Memory::DataTypes::eFloat;
        histogram.determinism = Determinism::eNone;
        expectDeclared(planHistogram(histogram, gpu));
    }

    for (const uint64_t columns : {1u, 300u})
        for (const uint64_t inner : {100u, 100000u}) {
            MatMulProblem product;
            product.rows = 300;
            product.columns = columns;
            product.inner = inner;
            product.a = {inner, 300 * inner};
            product.b = {columns, inner * columns};
            product.c = {columns, 300 * columns};
            expectDeclared(planMatMul(product, gpu));
        }
    for (const SparseMethod method : {SparseMethod::eRows, SparseMethod::eBalanced}) {
        SparseProblem sparse;
        sparse.rows = sparse.inner = 1000;
        sparse.nonzeros = 10000;
        sparse.method = method;
        expectDeclared(planSparse(sparse, gpu));
    }

    for (const uint64_t size : {8u, 300u}) {
        CholeskyProblem cholesky;
        cholesky.size = size;
        expectDeclared(planCholesky(cholesky, gpu));
        LuProblem lu;
        lu.rows = lu.columns = size;
        expectDeclared(planLu(lu, gpu));
        SolveProblem solve;
        solve.size = size;
        solve.columns = 3;
        expectDeclared(planSolve(solve, gpu));
        solve.columns = size;
        solve.inverse = true;
        expectDeclared(planSolve(solve, gpu));
        for (const bool vectors : {false, true}) {
            QrProblem qr;
            qr.rows = qr.columns = qr.triangleRows = size;
            qr.basisColumns = vectors ? size : 0;
            expectDeclared(planQr(qr, gpu));
            EighProblem eigh;
            eigh.size = size;
            eigh.vectors = vectors;
            expectDeclared(planEigh(eigh, gpu));
            SvdProblem svd;
            svd.rows = svd.columns = size;
            svd.vectors = vectors;
            expectDeclared(planSvd(svd, gpu));
        }
    }
    Plan spectrum(2);
    SpectrumStep step;
    step.kernel = spectrum.addKernel(spectrumKernel("MULTIPLY", Memory::DataTypes::eFloat, gpu));
    step.in.bytes = step.out.bytes = 800;
    step.out.memory = 1;
    step.count = 100;
    step.extents = {100};
    step.factors = SpectrumStep::Factors{};
    spectrum.steps.emplace_back(spectrumDispatch(step, Memory::DataTypes::eFloat, gpu));
    expectDeclared(spectrum);

    EXPECT_EQ(met.size(), blocksOfShaders()) << "a shader with push constants is not compared here";
}

struct ExamplePush {
    uint32_t count;
    float scale;
    uint32_t strides[2];
    static constexpr PushMember kMembers[] = {
        {"count", "uint", 4}, {"scale", "float", 4}, {"strides", "uint", 8}};
};

TEST(PushWords, AreTheMembersInTheirOrder) {
    std::vector<uint32_t> words =
        pushWords(ExamplePush{.count = 7, .scale = 1.0f, .strides = {8, 9}});
    EXPECT_EQ(words, (std::vector<uint32_t>{7, 0x3f800000, 8, 9}));
    appendWords(words, uint32_t{10});
    EXPECT_EQ(words.back(), 10u);
}

} // namespace
} // namespace kp::primitives
